import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createServer, build, type InlineConfig, type Plugin, type Rolldown } from 'vite';
import { TOKENS_CSS } from '@klaus/core/design-tokens';
import { serviceWorker } from './bundle/service-worker.ts';
import { pureSchemas } from './bundle/pure-schemas.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'apps/web');

/** Of the fonts of KaTeX only those that every supported browser reads. */
const modernFonts: Plugin = {
  name: 'modern-fonts',
  enforce: 'pre',
  transform: (code, id) =>
    /katex[^?]*\.css/.test(id) ? code.replaceAll(/,url\([^)]*\) format\("(?:woff|truetype)"\)/g, '') : undefined,
};

/** Writes the tokens of the design into the style of the page. */
const designTokens: Plugin = {
  name: 'design-tokens',
  enforce: 'pre',
  transform: (code, id) =>
    /style\/tokens\.css/.test(id) ? code.replace('--tokens: initial;', () => TOKENS_CSS) : undefined,
};

/** A user who starts a clone sees no advice about the build. */
const QUIET = { bundlerTimings: false };

const config: InlineConfig = {
  root: PAGE,
  configFile: false,
  logLevel: 'warn',
  // The page works at any path: a proxy can serve it below one.
  base: './',
  // The content security policy of the server allows styles and scripts with this nonce.
  html: { cspNonce: '__KLAUS_NONCE__' },
  plugins: [
    pureSchemas as Plugin,
    modernFonts,
    designTokens,
    { ...(serviceWorker(join(PAGE, 'offline/service-worker.ts')) as Plugin), enforce: 'post' },
  ],
  oxc: { jsx: { runtime: 'automatic', development: false } },
};

/**
 * Modules whose static imports are in one file each, by the name of the file; what two of them import is in the first
 * of these files. The modules themselves have files of their own: `main.tsx` waits for files that import from its chunk.
 */
const CHUNKS = {
  first: ['main.tsx'],
  // What the start page shows before there is a key.
  start: ['settings/first-start.tsx', 'composer/voice-button.tsx'],
  session: ['sessions/session-page.tsx'],
};

/**
 * Returns a function that names the chunk of a module. Without it each module that two views share would be a file of
 * its own, and a browser would make dozens of requests before it shows anything.
 */
function createChunkNames(): Rolldown.CodeSplittingNameFunction {
  const closures = new Map<string, Set<string>>();
  return (module, context) => {
    for (const [name, entries] of Object.entries(CHUNKS)) {
      let closure = closures.get(name);
      if (!closure) closures.set(name, (closure = toStaticImports(entries, context)));
      if (closure.has(module)) return name;
    }
    return null;
  };
}

/** Everything that modules of the page import statically, directly or not. */
function toStaticImports(entries: readonly string[], context: Rolldown.ChunkingContext): Set<string> {
  const found = new Set(entries.flatMap((entry) => context.getModuleInfo(join(PAGE, entry))?.importedIds ?? []));
  for (const id of found) for (const imported of context.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/**
 * Builds the page. Resolves with the ids of every module that is in it, and the paths of other files, such as fonts.
 *
 * @param folder The target; its content is deleted first. Default: where the server of a clone reads the page.
 */
export async function buildWeb(folder = join(PAGE, 'dist')): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true });
  // Workers are bundles of their own, which the output does not describe.
  const ofWorkers = new Set<string>();
  const record: Plugin = {
    name: 'record-modules',
    generateBundle(_, bundle) {
      for (const it of Object.values(bundle)) if (it.type === 'chunk') for (const id of it.moduleIds) ofWorkers.add(id);
    },
  };
  const { output } = (await build({
    ...config,
    worker: { plugins: () => [pureSchemas as Plugin, record], rolldownOptions: { checks: QUIET } },
    // Set explicitly, because React has another build for development.
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      // The content policy allows no script and no style from a data address.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // `test/web/first-load.test.ts` limits what is loaded first.
      chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
      // Directives of React's server, which is not used.
      rolldownOptions: {
        checks: QUIET,
        output: {
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [{ name: createChunkNames(), debugName: 'views' }],
          },
        },
        onLog: (level, log, report) => void (log.code === 'MODULE_LEVEL_DIRECTIVE' || report(level, log)),
      },
    },
  })) as Rolldown.RolldownOutput;
  const modules = output.flatMap((it) =>
    it.type === 'chunk' ? it.moduleIds : it.originalFileNames.map((name) => resolve(PAGE, name)),
  );
  return [...new Set([...modules, ...ofWorkers])];
}

/**
 * Serves the sources of the page with hot reload; all other requests go to a running `klaus serve`.
 *
 *     node scripts/web.ts --dev http://127.0.0.1:3001
 */
async function develop(server: string): Promise<void> {
  const proxy = { target: server, changeOrigin: true, headers: { origin: server } };
  const vite = await createServer({
    ...config,
    server: { host: '127.0.0.1', proxy: { '/api': proxy, '/health': proxy } },
  });
  await vite.listen();
  vite.printUrls();
}

if (import.meta.main) {
  const at = process.argv.indexOf('--dev');
  if (at >= 0) await develop(process.argv[at + 1] ?? 'http://127.0.0.1:3001');
  else {
    const modules = await buildWeb();
    console.log(`${modules.length} modules, in ${join(PAGE, 'dist')}`);
  }
}
