import { defineServer } from '../bad-server.ts';

/** A pattern with a mark of Perl. */
export const server = defineServer({
  over: 'http',
  tools: [{ name: 'bad', inputSchema: { type: 'object', properties: { a: { pattern: '(?i)^a' } } } }],
  expected: { tools: ['echo', 'read', 'bad'], calls: [{ name: 'bad', input: { a: 'A' }, outcome: 'ok' }] },
});
