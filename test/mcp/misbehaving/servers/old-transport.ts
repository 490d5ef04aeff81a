import { defineServer } from '../bad-server.ts';

/** A server of the first version of the protocol, with a tool that has no schema. */
export const server = defineServer({
  over: 'sse',
  tools: [{ name: 'bad' }],
  expected: { tools: ['echo', 'read', 'bad'], noted: ['bad'], calls: [{ name: 'bad', outcome: 'ok' }], starts: 1 },
});
