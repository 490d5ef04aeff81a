import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Installs the packages of `packages.json` into a temporary folder, with the programs that use them beside. */
export function installPackages(): string {
  const folder = mkdtempSync(join(tmpdir(), 'klendathu-corpus-'));
  const dependencies = JSON.parse(readFileSync(join(import.meta.dirname, 'packages.json'), 'utf8')) as object;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
  cpSync(join(import.meta.dirname, 'programs/packages'), join(folder, 'packages'), { recursive: true });
  return folder;
}
