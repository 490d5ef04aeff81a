import { defineServer } from '../bad-server.ts';

/** Content of a type that the protocol does not have. */
export const server = defineServer({
  over: 'http',
  results: {
    'tools/call': {
      content: [
        { type: 'text', text: 'before' },
        { type: 'chart', points: [1, 2] },
      ],
    },
  },
  expected: { calls: [{ name: 'echo', outcome: 'ok', text: '"points":[1,2]' }] },
});
