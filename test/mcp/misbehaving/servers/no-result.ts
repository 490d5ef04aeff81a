import { defineServer } from '../bad-server.ts';

/** An answer without a result. */
export const server = defineServer({
  over: 'stdio',
  onStdio({ message, write }) {
    if (message.method !== 'tools/call') return false;
    write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id })}\n`);
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'mcp.failed' }] },
});
