import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Loads a module of this package at once, where nothing can wait for an import. Needs Node.js 22.12 or newer.
 *
 * @param path Relative to the folder of the package, without its extension.
 */
export function loadNow(path: string): unknown {
  const url = new URL(`../${path}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
  return createRequire(import.meta.url)(fileURLToPath(url)) as unknown;
}
