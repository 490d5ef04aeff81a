import { defineServer } from '../bad-server.ts';

/** Answers with the id as a text. */
export const server = defineServer({
  over: 'stdio',
  onStdio({ message, write }) {
    if (message.method !== 'tools/call') return false;
    write(
      `${JSON.stringify({ jsonrpc: '2.0', id: String(message.id), result: { content: [{ type: 'text', text: 'called echo' }] } })}\n`,
    );
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }] },
});
