import { defineServer } from '../bad-server.ts';

/** A connection that is reset in the first call. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, response, seen }) {
    if (message?.method !== 'tools/call' || seen > 0) return false;
    response.destroy();
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
