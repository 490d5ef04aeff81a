import { defineServer } from '../bad-server.ts';

/** A tool whose input schema is null. */
export const server = defineServer({
  over: 'stdio',
  tools: [{ name: 'bad', inputSchema: null }],
  expected: {
    tools: ['echo', 'read', 'bad'],
    noted: ['bad'],
    calls: [{ name: 'bad', outcome: 'ok', text: 'called bad' }],
  },
});
