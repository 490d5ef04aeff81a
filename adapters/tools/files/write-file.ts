import { z } from 'zod';
import type { Intent, ToolContext } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { decodeFile, findMissing } from './form/decode-file.ts';
import { isSameText } from './form/detect-encoding.ts';
import { applyEdits, type FilePlan } from './file-plan.ts';
import { describeIndent, findFileRules } from './form/file-rules.ts';
import { toFormattedIntent } from './format-plans.ts';
import { keepTextForm, toLf, toLineEnd } from './form/line-ends.ts';
import { toNewText } from './new-text.ts';
import { checkShown } from './shown-text.ts';
import { checkText, MAX_EDIT_BYTES, toHash } from './text-file.ts';

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
    if (!state) {
      const { note, ...created } = await toNewText(context, resolved.relative, context.restoreSecrets(content, ''));
      const intent = await toFormattedIntent(context, 'create', [{ path: resolved, before: null, ...created }]);
      return withNotes(intent, [note]);
    }
    const replaced =
      state.size > MAX_EDIT_BYTES
        ? await replaceLarge(context, resolved.relative, content)
        : await replaceText(context, resolved.relative, content);
    const { notes, ...plan } = replaced;
    return withNotes(await toFormattedIntent(context, 'write', [{ path: resolved, ...plan }]), notes);
  },
  async run(_input, context, intent) {
    const output = await applyEdits(context, intent);
    const shown = (output.changes ?? []).flatMap(({ path, after }) => (after === null ? [] : [{ path, hash: after }]));
    return { ...output, shown };
  },
});

type Replaced = Omit<FilePlan, 'path'> & { notes: string[] };

async function replaceLarge(context: ToolContext, path: string, content: string): Promise<Replaced> {
  const hash = (await context.workspace.hash(path))!;
  const unseen = await checkShown(context, { path, hash, text: undefined });
  return { before: { hash, text: undefined, encoding: 'utf-8' }, after: content, notes: [unseen] };
}

async function replaceText(context: ToolContext, path: string, content: string): Promise<Replaced> {
  const { workspace, encodings } = context;
  const bytes = await workspace.read(path, { maxBytes: MAX_EDIT_BYTES });
  const hash = toHash(bytes);
  const rules = await findFileRules(workspace, path, encodings);
  const old = await decodeFile(bytes, rules);
  const unseen = await checkShown(context, { path, hash, text: old?.text });
  const text = context.restoreSecrets(content, old?.text ?? '');
  if (!old) return { before: { hash, text: undefined, encoding: 'utf-8' }, after: text, notes: [unseen] };
  const kept = keepTextForm(text, old.text);
  const missing = findMissing(kept.text, old.encoding);
  // The old text is known, so that nothing is lost in an encoding that has every character.
  const isConverted = missing !== undefined && isSameText(old, bytes);
  const encoding = isConverted ? 'utf-8' : old.encoding;
  const others = isConverted || !old.others ? {} : { others: old.others };
  const eol = toLineEnd(old.text);
  // Line ends that the new text has itself are written as they are.
  const isPlain = eol !== undefined && toLineEnd(kept.text) === eol;
  const before = isPlain
    ? { hash, text: toLf(old.text), encoding, ...others, eol }
    : { hash, text: old.text, encoding, ...others };
  const converted = isConverted ? [`it is UTF-8 now: ${old.encoding} has no ${JSON.stringify(missing)}`] : [];
  const notes = [...kept.notes, ...converted];
  return {
    before,
    after: isPlain ? toLf(kept.text) : kept.text,
    notes: [...(notes.length > 0 ? [`(${notes.join('; ')})`] : []), describeIndent(text, rules), unseen],
  };
}

function withNotes(intent: Intent, notes: readonly string[]): Intent {
  const said = notes.filter((note) => note !== '' && intent.edits?.length !== 0);
  return said.length === 0 ? intent : { ...intent, result: [intent.result, ...said].join('\n') };
}
