import { defineServer } from '../bad-server.ts';

/** A list whose pages do not end. */
export const server = defineServer({
  over: 'http',
  onHttp({ message, response }) {
    if (message?.method !== 'tools/list') return false;
    const page = Number(message.params?.cursor ?? 0);
    const tools = [{ name: `tool_${page}`, inputSchema: { type: 'object' } }];
    const result = { tools, nextCursor: String(page + 1) };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    return true;
  },
  expected: { lost: ['tools'], calls: [{ name: 'tool_0', outcome: 'ok' }] },
});
