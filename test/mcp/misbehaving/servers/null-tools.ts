import { defineServer } from '../bad-server.ts';

/** A list of tools that is null. */
export const server = defineServer({
  over: 'stdio',
  results: { 'tools/list': { tools: null } },
  expected: { tools: [], lost: ['tools'] },
});
