import { defineServer } from '../bad-server.ts';

/** An error that is a text. */
export const server = defineServer({
  over: 'stdio',
  onStdio({ message, write }) {
    if (message.method !== 'tools/call') return false;
    write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, error: 'no such city' })}\n`);
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'mcp.failed', text: 'no such city' }] },
});
