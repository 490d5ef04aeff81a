import { defineServer } from '../bad-server.ts';

/** Ends in its first call. */
export const server = defineServer({
  over: 'stdio',
  onStdio({ message, starts }) {
    if (message.method !== 'tools/call') return false;
    if (starts > 0) return false;
    process.exit(3);
  },
  expected: {
    calls: [
      { name: 'echo', outcome: 'mcp.lost' },
      { name: 'echo', outcome: 'ok' },
    ],
    starts: 2,
  },
});
