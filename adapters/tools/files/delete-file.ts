import { z } from 'zod';
import { decodeContent } from '@klaus/core/policy';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { applyEdits, toIntent } from './file-plan.ts';
import { MAX_FILE_BYTES } from './text-file.ts';

export const deleteFile = defineBuiltinTool({
  name: 'delete_file',
  description: 'Delete one file.',
  input: z.object({ path: z.string() }),
  effects: ['write'],
  resume: 'probe',
  example: { files: { 'a.txt': 'x' }, input: { path: 'a.txt' }, output: 'a.txt' },
  async prepare({ path }, { workspace }) {
    const state = await workspace.stat(path);
    if (!state) throw toolFailed(`${path} does not exist.`);
    if (state.kind !== 'file') throw toolFailed(`${path} is no regular file.`);
    const hash = await workspace.hash(path);
    if (hash === null) throw toolFailed(`${path} does not exist.`);
    const small = state.size <= MAX_FILE_BYTES;
    const text = small ? decodeContent(await workspace.read(path, { maxBytes: MAX_FILE_BYTES }))?.text : undefined;
    return toIntent('delete', [
      { path: await workspace.resolve(path), before: { hash, text, crlf: false, encoding: 'utf-8' }, after: null },
    ]);
  },
  run: (_input, context, intent) => applyEdits(context, intent),
});
