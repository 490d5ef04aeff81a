import { defineServer } from '../bad-server.ts';

/** A tool with an output schema that answers with text alone. */
export const server = defineServer({
  over: 'http',
  tools: [{ name: 'bad', inputSchema: { type: 'object' }, outputSchema: { type: 'object', required: ['a'] } }],
  results: { 'tools/call': { content: [{ type: 'text', text: 'only a text' }] } },
  expected: { calls: [{ name: 'bad', outcome: 'ok', text: 'only a text' }] },
});
