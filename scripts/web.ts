import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createServer, build, type InlineConfig, type Plugin, type Rolldown } from 'vite';
import { serviceWorker } from './bundle/service-worker.ts';
import { pureSchemas } from './bundle/pure-schemas.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'apps/web');

const config: InlineConfig = {
  root: PAGE,
  configFile: false,
  logLevel: 'warn',
  // The content security policy of the server allows styles and scripts with this nonce.
  html: { cspNonce: '__KLAUS_NONCE__' },
  plugins: [
    pureSchemas as Plugin,
    { ...(serviceWorker(join(PAGE, 'offline/service-worker.ts')) as Plugin), enforce: 'post' },
  ],
  oxc: { jsx: { runtime: 'automatic', development: false } },
};

/**
 * Builds the page. Resolves with the ids of every module that is in it, and the paths of other files, such as fonts.
 *
 * @param folder The target; its content is deleted first. Default: where the server of a clone reads the page.
 */
export async function buildWeb(folder = join(PAGE, 'dist')): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true });
  const { output } = (await build({
    ...config,
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
      chunkSizeWarningLimit: 700,
      // Directives of React's server, which is not used.
      rolldownOptions: {
        onLog: (level, log, report) => void (log.code === 'MODULE_LEVEL_DIRECTIVE' || report(level, log)),
      },
    },
  })) as Rolldown.RolldownOutput;
  return output.flatMap((it) =>
    it.type === 'chunk' ? it.moduleIds : it.originalFileNames.map((name) => resolve(PAGE, name)),
  );
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
