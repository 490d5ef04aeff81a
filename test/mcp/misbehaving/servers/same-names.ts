import { defineServer } from '../bad-server.ts';

/** Two tools of one name. */
export const server = defineServer({
  over: 'http',
  tools: [{ name: 'echo', description: 'Another.', inputSchema: { type: 'object' } }],
  expected: { tools: ['echo', 'read'], lost: ['echo'], calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }] },
});
