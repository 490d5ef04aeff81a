import { z } from 'zod';
import { decodeContent, encodeContent, type DecodedText, type TextEncoding } from '@klaus/core/policy';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { applyEdits } from './file-plan.ts';
import { toFormattedIntent } from './format-plans.ts';
import { checkText, MAX_FILE_BYTES, toHash } from './text-file.ts';

export const writeFile = defineBuiltinTool({
  name: 'write_file',
  description:
    'Create a file, or replace its complete text. Missing folders are created. To change a part, use edit_file.',
  input: z.object({ path: z.string(), content: z.string() }),
  effects: ['write'],
  resume: 'probe',
  example: { input: { path: 'new/a.txt', content: 'x\n' }, output: 'new/a.txt' },
  async prepare({ path, content }, context) {
    checkText('content', content);
    const { workspace } = context;
    const resolved = await workspace.resolve(path);
    const state = await workspace.stat(path);
    if (state && state.kind !== 'file') throw toolFailed(`${path} is no regular file.`);
    if (!state)
      return toFormattedIntent(context, 'create', [
        { path: resolved, before: null, after: context.restoreSecrets(content, '') },
      ]);
    if (state.size > MAX_FILE_BYTES) {
      const hash = (await workspace.hash(path))!;
      return toFormattedIntent(context, 'write', [
        { path: resolved, before: { hash, text: undefined, crlf: false, encoding: 'utf-8' }, after: content },
      ]);
    }
    const bytes = await workspace.read(path, { maxBytes: MAX_FILE_BYTES });
    const old = decodeContent(bytes);
    const text = context.restoreSecrets(content, old?.text ?? '');
    const { encoding, after, note } = preserveEncoding(text, old);
    const before = { hash: toHash(bytes), text: old?.text, crlf: false, encoding };
    const intent = await toFormattedIntent(context, 'write', [{ path: resolved, before, after }]);
    return note === undefined ? intent : { ...intent, result: `${intent.result} ${note}` };
  },
  run: (_input, context, intent) => applyEdits(context, intent),
});

const BOM = '\uFEFF';

/** The file keeps its encoding if that has every character; UTF-16 keeps its byte-order mark. */
function preserveEncoding(
  text: string,
  old: DecodedText | undefined,
): { encoding: TextEncoding; after: string; note?: string } {
  const encoding = old?.encoding ?? 'utf-8';
  if (encoding === 'utf-8') return { encoding, after: text };
  if (encoding !== 'windows-1252') return { encoding, after: text.startsWith(BOM) ? text : BOM + text };
  const encoded = encodeContent(text, encoding);
  if ('content' in encoded) return { encoding, after: text };
  const note = `(now UTF-8: ${encoding} has no ${JSON.stringify(encoded.missing)})`;
  return { encoding: 'utf-8', after: text, note };
}
