import { defineServer } from '../bad-server.ts';

/** An answer whose type is text. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, response }) {
    if (message?.method !== 'tools/call') return false;
    response.writeHead(200, { 'content-type': 'text/plain' }).end(
      JSON.stringify({
        jsonrpc: '2.0',
        id: message.id,
        result: { content: [{ type: 'text', text: 'called echo' }] },
      }),
    );
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }] },
});
