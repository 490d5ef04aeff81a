import { defineServer } from '../bad-server.ts';

/** Content that is null. */
export const server = defineServer({
  over: 'http',
  results: { 'tools/call': { content: null, structuredContent: null, isError: null, _meta: null } },
  expected: { calls: [{ name: 'echo', outcome: 'ok' }] },
});
