import { defineServer } from '../bad-server.ts';

/** Content that is a text. */
export const server = defineServer({
  over: 'stdio',
  results: { 'tools/call': { content: 'only a text' } },
  expected: { calls: [{ name: 'echo', outcome: 'ok', text: 'only a text' }] },
});
