import { defineServer } from '../bad-server.ts';

/** A tool without an input schema. */
export const server = defineServer({
  over: 'http',
  tools: [{ name: 'bad' }],
  expected: {
    tools: ['echo', 'read', 'bad'],
    noted: ['bad'],
    calls: [{ name: 'bad', outcome: 'ok', text: 'called bad' }],
  },
});
