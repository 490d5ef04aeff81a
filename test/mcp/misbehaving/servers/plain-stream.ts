import { defineServer } from '../bad-server.ts';

/** A stream without ids that ends before the answer. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, response }) {
    if (message?.method !== 'tools/call') return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n');
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'mcp.lost' }] },
});
