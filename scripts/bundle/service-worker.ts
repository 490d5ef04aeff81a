import { readFileSync } from 'node:fs';
import type { Plugin } from 'rolldown';
import { transformWithOxc } from 'vite';

/** Files of the page without a hash in their names that the worker stores too. */
const FIXED = [
  '/favicon.svg',
  '/favicon-running.svg',
  '/favicon-needs-you.svg',
  '/manifest.webmanifest',
  '/icon-192.png',
];

/** Larger files, such as the renderer of diagrams, and the fonts of formulas are fetched when they are needed. */
const MAX_BYTES = 800_000;
const ON_DEMAND = /KaTeX/;

/** Builds the service worker, which contains the names of the files that it stores. @param source Its path. */
export function serviceWorker(source: string): Plugin {
  return {
    name: 'service-worker',
    generateBundle: {
      // Vite removes files that contain only styles.
      order: 'post',
      async handler(_options, bundle) {
        const files = Object.entries(bundle)
          .filter(([name]) => /^assets\/.+\.(?:js|css|woff2)$/.test(name) && !ON_DEMAND.test(name))
          .filter(([, file]) => (file.type === 'chunk' ? file.code : file.source).length <= MAX_BYTES)
          .map(([name]) => `/${name}`)
          .toSorted();
        const { code } = await transformWithOxc(readFileSync(source, 'utf8'), source);
        const text = code.replace(
          /const FILES\s*= __KLAUS_FILES__/,
          `const FILES = ${JSON.stringify([...files, ...FIXED])}`,
        );
        if (text.includes('= __KLAUS_FILES__')) throw new Error(`${source} has no place for the list of files.`);
        this.emitFile({ type: 'asset', fileName: 'service-worker.js', source: text });
      },
    },
  };
}
