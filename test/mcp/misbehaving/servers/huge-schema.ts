import { defineServer } from '../bad-server.ts';

/** An input schema of more than 64 KiB. */
export const server = defineServer({
  over: 'http',
  tools: [{ name: 'bad', inputSchema: { type: 'object', description: 'x'.repeat(70_000) } }],
  expected: { tools: ['echo', 'read'], lost: ['bad'], calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }] },
});
