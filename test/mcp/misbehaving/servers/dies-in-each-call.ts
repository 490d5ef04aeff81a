import { defineServer } from '../bad-server.ts';

/** Ends in each call. */
export const server = defineServer({
  over: 'stdio',
  onStdio({ message }) {
    if (message.method !== 'tools/call') return false;
    process.exit(3);
  },
  expected: { calls: [{ name: 'read', outcome: 'mcp.failed' }], starts: 2 },
});
