import { defineServer } from '../bad-server.ts';

/** A proxy whose server is gone. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, response, seen }) {
    if (message?.method !== 'tools/call' || seen > 0) return false;
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    return true;
  },
  expected: {
    calls: [
      { name: 'echo', outcome: 'mcp.lost' },
      { name: 'echo', outcome: 'ok' },
    ],
    starts: 2,
  },
});
