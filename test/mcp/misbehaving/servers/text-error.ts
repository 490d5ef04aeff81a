import { defineServer } from '../bad-server.ts';

/** A mark of a failure that is a text. */
export const server = defineServer({
  over: 'http',
  results: { 'tools/call': { content: [{ type: 'text', text: 'no' }], isError: 'true' } },
  expected: { calls: [{ name: 'echo', outcome: 'error', text: 'no' }] },
});
