import { defineServer } from '../bad-server.ts';

/** Ends in the first call that reads. */
export const server = defineServer({
  over: 'stdio',
  onStdio({ message, starts }) {
    if (message.method !== 'tools/call') return false;
    if (starts > 0) return false;
    process.exit(3);
  },
  expected: { calls: [{ name: 'read', outcome: 'ok' }], starts: 2 },
});
