import { defineServer } from '../bad-server.ts';

/** A tool without a name. */
export const server = defineServer({
  over: 'http',
  tools: [{ inputSchema: { type: 'object' } }],
  expected: {
    tools: ['echo', 'read'],
    lost: ['number 3'],
    calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }],
  },
});
