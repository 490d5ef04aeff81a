import { defineServer } from '../bad-server.ts';

/** An input schema for lists. */
export const server = defineServer({
  over: 'http',
  tools: [{ name: 'bad', inputSchema: { type: 'array' } }],
  expected: { tools: ['echo', 'read'], lost: ['bad'], calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }] },
});
