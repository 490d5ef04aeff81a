import { defineServer } from '../bad-server.ts';

/** A server that was started again, and answers with status 400. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, request, response, starts }) {
    if (message?.method === 'initialize') response.setHeader('mcp-session-id', `S${starts}`);
    if (message?.method !== 'tools/call' || request.headers['mcp-session-id'] !== 'S0') return false;
    response.writeHead(400).end('Bad Request: No valid session ID provided');
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'ok' }], starts: 2 },
});
