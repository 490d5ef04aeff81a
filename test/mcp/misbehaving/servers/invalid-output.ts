import { defineServer } from '../bad-server.ts';

/** An output schema that is invalid. */
export const server = defineServer({
  over: 'http',
  tools: [
    {
      name: 'bad',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object', properties: { a: { type: 'str' } } },
    },
  ],
  expected: {
    tools: ['echo', 'read', 'bad'],
    noted: ['bad'],
    calls: [{ name: 'bad', outcome: 'ok', text: 'called bad' }],
  },
});
