import { defineServer } from '../bad-server.ts';

/** A server that does not know the session of its stream any more. */
export const server = defineServer({
  over: 'sse',
  onHttp({ message, response, seen }) {
    if (message?.method !== 'tools/call' || seen > 0) return false;
    response.writeHead(404).end('Session not found');
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'ok' }], starts: 2 },
});
