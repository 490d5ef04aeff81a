import { defineServer } from '../bad-server.ts';

/** A stream that can be resumed for ever, without an answer. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, request, response }) {
    if (request.method !== 'GET' && message?.method !== 'tools/call') return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('id: call\nretry: 10\ndata: \n\n');
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'mcp.lost' }] },
});
