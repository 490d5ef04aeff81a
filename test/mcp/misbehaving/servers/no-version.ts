import { defineServer } from '../bad-server.ts';

/** Answers without a version of JSON-RPC. */
export const server = defineServer({
  over: 'stdio',
  onStdio({ message, write }) {
    if (message.method !== 'tools/call') return false;
    write(`${JSON.stringify({ id: message.id, result: { content: [{ type: 'text', text: 'called echo' }] } })}\n`);
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }] },
});
