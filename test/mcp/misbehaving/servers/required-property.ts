import { defineServer } from '../bad-server.ts';

/** `required` is in a property, as in draft 3. */
export const server = defineServer({
  over: 'http',
  tools: [{ name: 'bad', inputSchema: { type: 'object', properties: { a: { type: 'string', required: true } } } }],
  expected: {
    tools: ['echo', 'read', 'bad'],
    noted: ['bad'],
    calls: [{ name: 'bad', outcome: 'ok', text: 'called bad' }],
  },
});
