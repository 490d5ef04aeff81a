import { defineServer } from '../bad-server.ts';

/** Two names that are the same for the model. */
export const server = defineServer({
  over: 'http',
  tools: [
    { name: 'bad', inputSchema: { type: 'object' } },
    { name: 'a/b', inputSchema: { type: 'object' } },
    { name: 'a b', inputSchema: { type: 'object' } },
  ],
  expected: { tools: ['echo', 'read', 'bad', 'a/b'], lost: ['a b'] },
});
