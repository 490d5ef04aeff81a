/**
 * Caches that outlive a session. A cache is listed when two things hold: Klaus can check each entry by its name alone,
 * and the tool compares an entry with something that the cache cannot change (a lock file) before it uses it.
 *
 * Every other cache belongs to its session, because the tool trusts what it finds there. It begins empty, or with what
 * the user has (`user-caches.ts`), and never with what another session left:
 * - npm: `_cacache/index-v5` maps an address to any content, `_npx` holds programs that run without a look.
 * - pnpm: the index of a package in the store names its files, and is not compared with the lock file.
 * - Yarn: the global cache is compared with the lock file only by `--check-cache`, or when the checksum is missing.
 * - Bun, Deno: extracted packages and compiled modules, used as they are.
 * - Corepack: package managers in `~/.cache/node/corepack`, run as they are.
 * - node-gyp: headers and libraries in `~/.cache/node-gyp`, compiled in as they are.
 * - pip: HTTP responses and wheels that were built here. uv: an archive of unpacked wheels. Poetry: both.
 * - Cargo: a `.crate` is compared with the lock file only when it is downloaded; `registry/src` and `bin` never.
 * - Go: an archive is compared with its own `.ziphash`, which lies beside it; the build cache holds compiled code.
 * - RubyGems, Bundler: gems in the cache are installed without a checksum unless the lock file holds some.
 * - Composer: archives are compared only where the lock file holds a hash, which most sources leave out.
 * - Maven: jars of the local repository are not compared with anything. Gradle: only with verification metadata.
 * - NuGet: extracted packages, compared only at their extraction.
 * - Playwright, Cypress: browsers, run as they are.
 */
export interface PackageCache {
  tool: string;
  /** Folder relative to the home folder, of the algorithm that `hash` names. */
  path: string;
  /** Name of the hash for `createHash`. */
  hash: 'sha512' | 'sha256';
  /** Lengths of the parts into which the hash is cut, in hex digits; the last one takes the rest. */
  parts: readonly number[];
}

/** Every cache that persists. */
export const PACKAGE_CACHES: readonly PackageCache[] = [
  // `npm ci` finds a package here by the `integrity` of the lock file, and reads nothing that does not match it:
  // https://github.com/npm/cacache#integrity
  { tool: 'npm', path: '.npm/_cacache/content-v2/sha512', hash: 'sha512', parts: [2, 2] },
];
