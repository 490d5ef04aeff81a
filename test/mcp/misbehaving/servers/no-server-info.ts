import { defineServer } from '../bad-server.ts';

/** A handshake without a name, and with empty capabilities. */
export const server = defineServer({
  over: 'http',
  results: {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {}, prompts: null }, instructions: null },
  },
  expected: { tools: ['echo', 'read'], calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }] },
});
