import { defineServer } from '../bad-server.ts';

/** An entry that is no object. */
export const server = defineServer({
  over: 'stdio',
  tools: [null, 'bad'],
  expected: {
    tools: ['echo', 'read'],
    lost: ['number 3', 'number 4'],
    calls: [{ name: 'echo', outcome: 'ok', text: 'called echo' }],
  },
});
