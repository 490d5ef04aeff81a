import { defineServer } from '../bad-server.ts';

/** An image with line breaks, and one without bytes. */
export const server = defineServer({
  over: 'http',
  results: {
    'tools/call': {
      content: [
        { type: 'image', mimeType: 'image/png', data: 'QUFB\nQUFB' },
        { type: 'image', mimeType: 'image/png' },
        { type: 'text', text: 'after' },
      ],
    },
  },
  expected: { calls: [{ name: 'echo', outcome: 'ok', text: 'after' }] },
});
