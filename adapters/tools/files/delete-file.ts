import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { carryOut } from './apply-edits.ts';
import { toIntent } from './file-plan.ts';
import { decodeText, MAX_FILE_BYTES } from './text-file.ts';

/** Deletes one file. */
export const deleteFile = defineBuiltinTool({
  name: 'delete_file',
  description: 'Delete one file.',
  input: z.object({ path: z.string() }),
  effects: ['write'],
  resume: 'probe',
  example: { files: { 'a.txt': 'x' }, input: { path: 'a.txt' }, output: 'a.txt' },
  async prepare({ path }, { workspace }) {
    const state = await workspace.stat(path);
    if (!state) throw new KlausError('tool.failed', `${path} does not exist.`);
    if (state.kind !== 'file') throw new KlausError('tool.failed', `${path} is no regular file.`);
    const hash = await workspace.hash(path);
    if (hash === null) throw new KlausError('tool.failed', `${path} does not exist.`);
    const small = state.size <= MAX_FILE_BYTES;
    const text = small ? decodeText(await workspace.read(path, { maxBytes: MAX_FILE_BYTES })) : undefined;
    return toIntent('delete', [
      { path: await workspace.resolve(path), before: { hash, text, crlf: false, encoding: 'utf-8' }, after: null },
    ]);
  },
  run: (_input, context, intent) => carryOut(context, intent),
});
