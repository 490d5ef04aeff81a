import { defineServer } from '../bad-server.ts';

/** A pattern that no engine knows. */
export const server = defineServer({
  over: 'http',
  tools: [{ name: 'bad', inputSchema: { type: 'object', properties: { a: { pattern: '([a' } } } }],
  expected: { tools: ['echo', 'read', 'bad'], calls: [{ name: 'bad', input: { a: 'x' }, outcome: 'ok' }] },
});
