import { defineServer } from '../bad-server.ts';

/** A result that is null. */
export const server = defineServer({
  over: 'stdio',
  onStdio({ message, write }) {
    if (message.method !== 'tools/call') return false;
    write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: null })}\n`);
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'mcp.failed' }] },
});
