import { defineServer } from '../bad-server.ts';

/** Answers in a list. */
export const server = defineServer({
  over: 'stdio',
  onStdio({ message, write }) {
    if (message.method !== 'tools/call') return false;
    write(
      `${JSON.stringify([
        { jsonrpc: '2.0', method: 'notifications/x' },
        { jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: 'called echo' }] } },
      ])}\n`,
    );
    return true;
  },
  expected: { calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }] },
});
