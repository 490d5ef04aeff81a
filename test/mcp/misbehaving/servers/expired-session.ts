import { defineServer } from '../bad-server.ts';

/** A session that expires after the list of tools. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, request, response, starts }) {
    if (message?.method === 'initialize') response.setHeader('mcp-session-id', `S${starts}`);
    if (message?.method !== 'tools/call' || request.headers['mcp-session-id'] !== 'S0') return false;
    const error = { code: -32_001, message: 'Session not found' };
    response.writeHead(404).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    return true;
  },
  expected: {
    calls: [
      { name: 'echo', outcome: 'ok' },
      { name: 'echo', outcome: 'ok' },
    ],
    starts: 2,
  },
});
