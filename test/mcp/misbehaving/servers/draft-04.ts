import { defineServer } from '../bad-server.ts';

/** Exclusive limits of draft 4. */
export const server = defineServer({
  over: 'http',
  tools: [
    {
      name: 'bad',
      inputSchema: { type: 'object', properties: { a: { type: 'number', minimum: 0, exclusiveMinimum: true } } },
    },
  ],
  expected: {
    tools: ['echo', 'read', 'bad'],
    calls: [
      { name: 'bad', input: { a: 1 }, outcome: 'ok' },
      { name: 'bad', input: { a: 0 }, outcome: 'tool.input' },
    ],
  },
});
