import { defineServer } from '../bad-server.ts';

/** An input schema that is a text. */
export const server = defineServer({
  over: 'http',
  tools: [{ name: 'bad', inputSchema: '{}' }],
  expected: { tools: ['echo', 'read'], lost: ['bad'], calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }] },
});
