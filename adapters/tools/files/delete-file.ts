import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { applyEdits, toIntent } from './file-plan.ts';
import { decodeFile } from './form/decode-file.ts';
import { findFileRules } from './form/file-rules.ts';
import { MAX_FILE_BYTES } from './text-file.ts';

export const deleteFile = defineBuiltinTool({
  name: 'delete_file',
  description: 'Delete one file.',
  input: z.object({ path: z.string() }),
  effects: ['write'],
  resume: 'probe',
  example: { files: { 'a.txt': 'x' }, input: { path: 'a.txt' }, output: 'a.txt' },
  async prepare({ path }, { encodings, workspace }) {
    const state = await workspace.stat(path);
    if (!state) throw toolFailed(`${path} does not exist.`);
    if (state.kind !== 'file') throw toolFailed(`${path} is no regular file.`);
    const hash = await workspace.hash(path);
    if (hash === null) throw toolFailed(`${path} does not exist.`);
    const resolved = await workspace.resolve(path);
    const rules = await findFileRules(workspace, resolved.relative, encodings);
    const isShort = state.size <= MAX_FILE_BYTES;
    const bytes = isShort ? await workspace.read(path, { maxBytes: MAX_FILE_BYTES }) : undefined;
    const text = bytes && (await decodeFile(bytes, rules))?.text;
    return toIntent('delete', [{ path: resolved, before: { hash, text, encoding: 'utf-8' }, after: null }]);
  },
  run: (_input, context, intent) => applyEdits(context, intent),
});
