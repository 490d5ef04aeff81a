import { defineServer } from '../bad-server.ts';

/** The stream of events ends in the first call. */
export const server = defineServer({
  over: 'sse',
  onHttp({ message, response, seen, stream }) {
    if (message?.method !== 'tools/call' || seen > 0) return false;
    response.writeHead(202).end(() => stream?.destroy());
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
