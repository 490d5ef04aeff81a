import { defineServer } from '../bad-server.ts';

/** Answers with a result and an error that is null. */
export const server = defineServer({
  over: 'stdio',
  onStdio({ message, write }) {
    if (message.method !== 'tools/call') return false;
    write(
      `${JSON.stringify({ jsonrpc: '2.0', id: message.id, error: null, took: 7, result: { content: [{ type: 'text', text: 'called echo' }] } })}\n`,
    );
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }] },
});
