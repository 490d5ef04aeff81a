import { defineServer } from '../bad-server.ts';

/** A stream that ends once, in a call that reads. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, response, seen }) {
    if (message?.method !== 'tools/call' || seen > 0) return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: 1\nretry: 10\ndata: \n\n', () => response.destroy());
    return true;
  },
  expected: { calls: [{ name: 'read', outcome: 'ok' }], starts: 2 },
});
