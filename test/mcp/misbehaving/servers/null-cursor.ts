import { defineServer } from '../bad-server.ts';

/** A cursor that is null. */
export const server = defineServer({
  over: 'http',
  results: { 'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }], nextCursor: null } },
  expected: { tools: ['echo'], calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }] },
});
