import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { checkWord } from '../shell/quote.ts';
import { listEntries } from './entry.ts';

const LIMIT = 20;

export const memorySearch = defineBuiltinTool({
  name: 'memory_search',
  description: 'Find remembered notes by words.',
  input: z.object({ query: z.string() }),
  deferred: true,
  effects: ['read'],
  resume: 'repeat',
  example: {
    before: [{ name: 'memory_set', input: { key: 'build', value: 'make all' } }],
    input: { query: 'all?' },
    output: 'build [general]: make all',
  },
  async prepare({ query }) {
    checkWord('query', query);
    return { title: `memory search ${headOf(query, 100)}`, access: [] };
  },
  async run({ query }, { memory, maxSearchResults }) {
    const entries = await memory.search(query, { limit: Math.min(LIMIT, maxSearchResults) });
    if (entries.length === 0) return { text: 'No note contains any of these words. List all notes with memory_list.' };
    return { text: listEntries(entries), detail: { keys: entries.map(({ key }) => key) } };
  },
});
