import { defineServer } from '../bad-server.ts';

let open: number | string | undefined;

/** A stream that ends, and has the answer when it is resumed. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, request, response }) {
    if (request.headers['last-event-id'] === 'call') {
      const result = { content: [{ type: 'text', text: 'resumed' }] };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: open, result })}\n\n`);
      return true;
    }
    if (message?.method !== 'tools/call') return false;
    open = message.id;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('id: call\nretry: 10\ndata: \n\n');
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'ok', text: 'resumed' }], starts: 1 },
});
