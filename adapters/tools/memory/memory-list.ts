import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { checkWord } from '../shell/quote.ts';
import { listEntries } from './entry.ts';

export const memoryList = defineBuiltinTool({
  name: 'memory_list',
  description: 'List what is remembered, the latest first.',
  input: z.object({ category: z.string().optional() }),
  deferred: true,
  effects: ['read'],
  resume: 'repeat',
  example: {
    before: [{ name: 'memory_set', input: { key: 'build', value: 'make', category: 'pinned' } }],
    input: {},
    output: 'build [pinned]: make',
  },
  async prepare({ category = '' }) {
    checkWord('category', category);
    return { title: 'memory list', access: [] };
  },
  async run({ category }, { memory, maxSearchResults }) {
    const entries = await memory.list({ category, limit: maxSearchResults });
    const all = await memory.count({ category });
    if (all === 0)
      return { text: category === undefined ? 'Nothing is remembered.' : `Nothing is remembered in ${category}.` };
    const more = entries.length < all ? `\n[${all - entries.length} more; find them with memory_search]` : '';
    return { text: listEntries(entries) + more, detail: { count: all } };
  },
});
