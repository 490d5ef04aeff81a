import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { getMimeType, mimes } from 'hono/utils/mime';
import { toContentPolicy, WORKER_POLICY } from './security-headers.ts';

/** The placeholder of the nonce in the page. Vite inserts it (`html.cspNonce`). */
const NONCE_PLACEHOLDER = '__KLAUS_NONCE__';

/**
 * The folder of the built page: `apps/web/dist` in a clone, `dist/web/dist` in the package, to which the build copies
 * it. The build replaces `import.meta.dirname` of this file so that one path is right in both.
 */
const WEB_FOLDER = join(import.meta.dirname, '../../web/dist');

/** Fetches the files of the page for it. The policy of a worker is that of its own response. */
const SERVICE_WORKER = 'service-worker.js';

const TYPES = { ...mimes, svg: 'image/svg+xml' };

export interface StaticAnswer {
  status: 200 | 304;
  headers: Record<string, string>;
  body: Uint8Array | string;
}

export interface StaticFiles {
  /** False in a clone whose page is not built. */
  readonly exists: boolean;
  /** The file at a path, the page at `/`; undefined if there is none. */
  find(path: string, headers: { etag?: string; encodings?: string }): StaticAnswer | undefined;
}

interface File {
  content: Buffer;
  type: string;
  etag: string;
  /** Compressed on the first request. */
  brotli?: Buffer;
}

/** The best below 10, which takes ten times as long: about 70 ms for the largest file of the first load. */
const BROTLI_QUALITY = 8;

/** Reads files on request and caches them until they change. */
export function createStaticFiles(folder: string = WEB_FOLDER): StaticFiles {
  const files = new Map<string, File & { mtimeMs: number }>();
  // Files are served by exact name only: no path of a request reaches the file system.
  const names = listNames(folder);
  const read = (name: string): File | undefined => {
    if (!names.has(name)) return undefined;
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) return undefined;
    const known = files.get(name);
    if (known?.mtimeMs === stat.mtimeMs) return known;
    const content = readFileSync(path);
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
    const type = getMimeType(name, TYPES) ?? 'application/octet-stream';
    const file = { content, type, etag, mtimeMs: stat.mtimeMs };
    files.set(name, file);
    return file;
  };
  return {
    exists: names.has('index.html'),
    find(path, { etag, encodings = '' }) {
      const name = path.slice(1);
      const file = read(name);
      if (name !== 'index.html' && file) {
        // Vite puts a hash of the content into the names of these files.
        const cache = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
        const headers = {
          ...{ 'content-type': file.type, 'cache-control': cache, etag: file.etag, vary: 'accept-encoding' },
          ...(name === SERVICE_WORKER ? { 'content-security-policy': WORKER_POLICY } : {}),
        };
        if (etag === file.etag) return { status: 304, headers, body: '' };
        if (!/\bbr\b/.test(encodings) || !isText(file.type)) return { status: 200, headers, body: file.content };
        file.brotli ??= brotliCompressSync(file.content, {
          params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY },
        });
        return { status: 200, headers: { ...headers, 'content-encoding': 'br' }, body: file.brotli };
      }
      // The page routes by the URL fragment, which browsers do not send.
      if (name !== '' && name !== 'index.html') return undefined;
      const page = read('index.html');
      if (!page) return undefined;
      const nonce = randomBytes(16).toString('base64');
      return {
        status: 200,
        headers: {
          'content-type': page.type,
          'cache-control': 'no-store',
          'content-security-policy': toContentPolicy(nonce),
        },
        body: page.content.toString('utf8').replaceAll(NONCE_PLACEHOLDER, nonce),
      };
    },
  };
}

function isText(type: string): boolean {
  return /^text\/|json|svg|wasm/.test(type);
}

function listNames(folder: string): Set<string> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return new Set();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Set(files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/')));
}
