import { defineServer } from '../bad-server.ts';

/** A stream that ends before the answer. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, response }) {
    if (message?.method !== 'tools/call') return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: 1\nretry: 10\ndata: \n\n', () => response.destroy());
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'mcp.lost' }] },
});
