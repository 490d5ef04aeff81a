import { defineServer } from '../bad-server.ts';

/** An input schema without a type. */
export const server = defineServer({
  over: 'http',
  tools: [{ name: 'bad', inputSchema: { properties: {} } }],
  expected: {
    tools: ['echo', 'read', 'bad'],
    noted: ['bad'],
    calls: [{ name: 'bad', outcome: 'ok', text: 'called bad' }],
  },
});
