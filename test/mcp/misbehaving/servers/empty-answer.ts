import { defineServer } from '../bad-server.ts';

/** An answer without a body. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, response }) {
    if (message?.method !== 'tools/call') return false;
    response.writeHead(200, { 'content-type': 'application/json' }).end();
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'mcp.lost' }] },
});
