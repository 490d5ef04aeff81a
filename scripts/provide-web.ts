// Builds the page of `klaus serve` in a clone if it is missing or older than its sources:
// `node scripts/provide-web.ts`. ./klaus calls it before it serves.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'apps/web/dist/index.html');
const CACHE = join(ROOT, 'node_modules/.cache/web-page');
const LOCK = join(CACHE, 'lock');
/** The hash of the sources of the existing page. */
const STAMP = join(CACHE, 'stamp');

const SOURCES = [
  'apps/web',
  'apps/server/contract',
  'apps/server/client',
  'core/conversation',
  'core/protocol',
  'scripts/web.ts',
  'scripts/bundle/service-worker.ts',
];

/** Milliseconds for which a lock may lack the id of its owner. */
const NAMELESS_MS = 5_000;

function toStamp(): string {
  const hash = createHash('sha256');
  const add = (path: string) => {
    const { size, mtimeMs } = statSync(join(ROOT, path));
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  };
  for (const source of SOURCES) {
    if (statSync(join(ROOT, source)).isFile()) add(source);
    else
      for (const path of readdirSync(join(ROOT, source), { recursive: true, encoding: 'utf8' }).toSorted())
        if (!/(?:^|\/)(?:dist|node_modules)(?:\/|$)/.test(path)) add(`${source}/${path}`);
  }
  return hash.digest('hex');
}

function isFresh(stamp: string): boolean {
  return existsSync(PAGE) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp;
}

/** Builds the page unless it is fresh; concurrent callers wait. @param onBuild Called before the build. */
export async function provideWebPage(onBuild: () => void = () => {}): Promise<void> {
  if (isFresh(toStamp())) return;
  mkdirSync(CACHE, { recursive: true });
  await takeLock();
  try {
    const stamp = toStamp();
    if (isFresh(stamp)) return;
    onBuild();
    const { buildWeb } = await import('./web.ts');
    await buildWeb();
    writeFileSync(STAMP, stamp);
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

async function takeLock(): Promise<void> {
  for (;;) {
    try {
      mkdirSync(LOCK);
      writeFileSync(join(LOCK, 'pid'), `${process.pid}`);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (isAbandoned()) rmSync(LOCK, { recursive: true, force: true });
      else await setTimeout(100);
    }
  }
}

/** The owner of the lock was killed. */
function isAbandoned(): boolean {
  const since = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs;
  if (since === undefined) return false;
  try {
    process.kill(Number(readFileSync(join(LOCK, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ESRCH' || (code === 'ENOENT' && Date.now() - since > NAMELESS_MS);
  }
}

if (import.meta.main) {
  await provideWebPage(() => process.stderr.write('Building the page (some seconds, and only after a change) …\n'));
}
