import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { npm } from '../fixtures/npm.ts';

const PACKAGES = ['typescript-language-server@6.0.2', 'typescript@5.9.3', 'pyright@1.1.414'];

/** Installs language servers from the npm registry, once for each machine. Returns their `node_modules`. */
export function installServers(): string {
  const folder = join(homedir(), '.cache/klaus-test', PACKAGES.join('+').replaceAll('/', '-'));
  if (!existsSync(folder)) {
    const own = `${folder}.${process.pid}`;
    mkdirSync(own, { recursive: true });
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', own, ...PACKAGES], own);
    try {
      renameSync(own, folder);
    } catch {
      // Another test has installed them.
      rmSync(own, { recursive: true });
    }
  }
  return join(folder, 'node_modules');
}
