import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { describeEntry } from './entry.ts';

export const memoryGet = defineBuiltinTool({
  name: 'memory_get',
  description: 'Return a note from this or an earlier session.',
  input: z.object({ key: z.string() }),
  deferred: true,
  effects: ['read'],
  resume: 'repeat',
  example: {
    before: [{ name: 'memory_set', input: { key: 'build', value: 'npm run build' } }],
    input: { key: 'build' },
    output: /^build \[general\], [^]*\nnpm run build$/,
  },
  prepare: async ({ key }) => ({ title: `memory get ${key.slice(0, 100)}`, access: [] }),
  async run({ key }, { memory }) {
    const entry = await memory.get(key);
    if (entry) return { text: describeEntry(entry), detail: { ...entry } };
    const near = (await memory.search(key, { limit: 5 })).map((other) => other.key);
    throw toolFailed(`Nothing is remembered as ${JSON.stringify(key.slice(0, 200))}.`, {
      hint: near.length === 0 ? 'List all notes with memory_list.' : `Similar: ${near.join(', ')}.`,
    });
  },
});
