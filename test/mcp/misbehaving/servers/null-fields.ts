import { defineServer } from '../bad-server.ts';

/** Optional fields of another type. */
export const server = defineServer({
  over: 'http',
  tools: [
    {
      name: 'bad',
      description: null,
      title: 7,
      annotations: 'none',
      icons: {},
      _meta: null,
      inputSchema: { type: 'object' },
    },
  ],
  expected: {
    tools: ['echo', 'read', 'bad'],
    noted: ['bad'],
    calls: [{ name: 'bad', outcome: 'ok', text: 'called bad' }],
  },
});
