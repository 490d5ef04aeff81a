import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import { defineTool } from '@klaus/core/agent';
import { toIntent } from './file-plan.ts';
import { carryOut } from './carry-out.ts';
import { checkText, decodeText, MAX_FILE_BYTES, toHash } from './text-file.ts';

/** Writes a file whole. */
export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Create a file, or replace its whole text. Missing folders are created. To change a part, use edit_file.',
  input: z.object({ path: z.string(), content: z.string() }),
  effects: ['write'],
  resume: 'probe',
  async prepare({ path, content }, context) {
    checkText('content', content);
    const { workspace } = context;
    const resolved = await workspace.resolve(path);
    const state = await workspace.stat(path);
    if (state && state.kind !== 'file') throw new KlausError('tool.failed', `${path} is no regular file.`);
    if (!state)
      return toIntent('create', [{ path: resolved, before: null, after: context.restoreSecrets(content, '') }]);
    if (state.size > MAX_FILE_BYTES) {
      const hash = (await workspace.hash(path))!;
      return toIntent('write', [{ path: resolved, before: { hash, text: undefined, crlf: false }, after: content }]);
    }
    const bytes = await workspace.read(path, { maxBytes: MAX_FILE_BYTES });
    const text = decodeText(bytes);
    const before = { hash: toHash(bytes), text, crlf: false };
    return toIntent('write', [{ path: resolved, before, after: context.restoreSecrets(content, text ?? '') }]);
  },
  run: (_input, context, intent) => carryOut(context, intent),
});
