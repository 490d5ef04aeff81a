/**
 * Caches that outlive a session. Two conditions have to hold: Klaus can verify each entry by its name, and the tool
 * compares an entry with data outside the cache (a lock file) before it uses it.
 *
 * Every other cache belongs to its session, because the tool trusts its content. It begins empty or with entries of the
 * user (`user-caches.ts`), and never with entries of another session:
 * - npm: `_cacache/index-v5` maps a URL to any content, `_npx` contains programs that run without verification.
 * - pnpm: the index of a package in the store names its files, and is not compared with the lock file.
 * - Yarn: the global cache is compared with the lock file only by `--check-cache`, or when the checksum is missing.
 * - Bun, Deno: extracted packages and compiled modules, used as they are.
 * - Corepack: package managers in `~/.cache/node/corepack`, run as they are.
 * - node-gyp: headers and libraries in `~/.cache/node-gyp`, compiled in as they are.
 * - pip: HTTP responses and wheels that were built here. uv: an archive of unpacked wheels. Poetry: both.
 * - Cargo: a `.crate` is compared with the lock file only when it is downloaded; `registry/src` and `bin` never.
 * - Go: an archive is compared with its own `.ziphash` in the same cache; the build cache contains compiled code.
 * - RubyGems, Bundler: gems in the cache are installed without verification unless the lock file has checksums.
 * - Composer: archives are compared only if the lock file has a hash, which most sources leave out.
 * - Maven: jars of the local repository are not compared with anything. Gradle: only with verification metadata.
 * - NuGet: extracted packages, compared only at their extraction.
 * - Playwright, Cypress: browsers, run as they are.
 */
export interface PackageCache {
  tool: string;
  path: string;
  /** Name of the hash for `createHash`. */
  hash: 'sha512' | 'sha256';
  /** Lengths, in hexadecimal digits, of the path components that the hash is split into; the last one gets the rest. */
  parts: readonly number[];
}

export const PACKAGE_CACHES: readonly PackageCache[] = [
  // `npm ci` finds a package here by the `integrity` of the lock file, and reads nothing that does not match it:
  // https://github.com/npm/cacache#integrity
  { tool: 'npm', path: '.npm/_cacache/content-v2/sha512', hash: 'sha512', parts: [2, 2] },
];
