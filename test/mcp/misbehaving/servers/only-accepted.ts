import { defineServer } from '../bad-server.ts';

/** Accepts a request, and does not answer it. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, response }) {
    if (message?.method !== 'tools/call') return false;
    response.writeHead(202).end();
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'mcp.lost' }] },
});
