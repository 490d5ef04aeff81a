import { defineServer } from '../bad-server.ts';

/** Every session has expired at the first call. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, response, starts }) {
    if (message?.method === 'initialize') response.setHeader('mcp-session-id', `S${starts}`);
    if (message?.method !== 'tools/call') return false;
    response.writeHead(404).end();
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'mcp.failed' }], starts: 2 },
});
