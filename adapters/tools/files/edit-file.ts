import { z } from 'zod';
import type { KlausError } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { applyEdits } from './file-plan.ts';
import { toFormattedIntent } from './format-plans.ts';
import { findNearest, showLines } from './nearest-lines.ts';
import { toLf } from './form/line-ends.ts';
import { checkText, readTextFile, type TextFile } from './text-file.ts';

const editSchema = z.object({
  old: z.string().describe('exact text that occurs once'),
  new: z.string(),
  all: z.boolean().optional().describe('replace every occurrence'),
});
type Edit = z.infer<typeof editSchema>;

export const editFile = defineBuiltinTool({
  name: 'edit_file',
  description: 'Replace exact text in a file. Edits are applied in order, all or none. Line breaks are preserved.',
  input: z.object({ path: z.string(), edits: z.array(editSchema).min(1) }),
  effects: ['write'],
  resume: 'probe',
  example: {
    files: { 'sum.js': 'a - b\n' },
    input: { path: 'sum.js', edits: [{ old: 'a - b', new: 'a + b' }] },
    output: 'sum.js (+1 −1)',
  },
  async prepare({ path, edits }, context) {
    for (const edit of edits) {
      checkText('old text', edit.old);
      checkText('new text', edit.new);
    }
    const file = await readTextFile(context, path);
    let text = file.text;
    for (const [i, edit] of edits.entries()) {
      const where = edits.length === 1 ? '' : `Edit ${i + 1} of ${edits.length}: `;
      text = replace(text, { old: restore(edit.old), new: restore(edit.new), all: edit.all }, { file, where });
    }
    function restore(part: string): string {
      const restored = context.restoreSecrets(part, file.text);
      return file.eol ? toLf(restored) : restored;
    }
    if (text === file.text) throw toolFailed(`The edits do not change ${file.path.relative}.`);
    return toFormattedIntent(context, 'edit', [{ path: file.path, before: file, after: text }]);
  },
  run: (_input, context, intent) => applyEdits(context, intent),
});

function replace(text: string, edit: Edit, at: { file: TextFile; where: string }): string {
  if (edit.old === '') throw fail(at, 'the old text is empty. Write a new file with write_file.');
  const found = findAll(text, edit.old);
  if (found.length === 0 && text.includes('\r\n') && !edit.old.includes('\r') && edit.old.includes('\n')) {
    // In a file with mixed line breaks the text may have the other kind.
    const crlf = (part: string) => part.replaceAll('\n', '\r\n');
    if (text.includes(crlf(edit.old)))
      return replace(text, { ...edit, old: crlf(edit.old), new: crlf(toLf(edit.new)) }, at);
  }
  if (found.length === 0) throw fail(at, explainMiss(text, edit.old));
  if (found.length > 1 && !edit.all) {
    const lines = found.slice(0, 10).map((offset) => text.slice(0, offset).split('\n').length);
    throw fail(
      at,
      `the old text occurs ${found.length} times (lines ${lines.join(', ')}${found.length > 10 ? ', …' : ''}). Add surrounding lines, or set all.`,
    );
  }
  return edit.all
    ? text.split(edit.old).join(edit.new)
    : text.slice(0, found[0]!) + edit.new + text.slice(found[0]! + edit.old.length);
}

function findAll(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at);
  return found;
}

function explainMiss(text: string, old: string): string {
  const lines = text.split('\n');
  const wanted = old.replace(/\n$/, '').split('\n');
  const near = findNearest(lines, wanted);
  if (!near) return 'the old text is not in the file, and nothing is similar. Read the file first.';
  return `the old text is not in the file. The most similar lines are:\n${showLines(lines, near.start, near.count)}\nThere, ${near.why}.`;
}

function fail(at: { file: TextFile; where: string }, why: string): KlausError {
  return toolFailed(`${at.where}${at.file.path.relative} was not changed: ${why}`);
}
