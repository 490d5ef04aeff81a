import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readForeignFileSync } from '@klaus/sdk/foreign-file';

/** Bytes. Larger files are not searched for checks. */
const MAX_BYTES = 1024 * 1024;

/** Scripts of package.json by what they check, the preferred name first. */
const SCRIPTS = [
  ['lint'],
  ['typecheck', 'type-check', 'check-types', 'check:types', 'types', 'tsc'],
  ['check'],
] as const;

/** The commands that check the project in a folder: linter, type check, and its own `check`. Tests, if it has no other. */
export function findChecks(folder: string): string[] {
  const read = (name: string): string | undefined => readSmall(join(folder, name));
  const has = (name: string): boolean => existsSync(join(folder, name));
  const commands: string[] = [];
  const scripts = readScriptNames(read('package.json'));
  const run = `${findPackageManager(has)} run`;
  for (const names of SCRIPTS) {
    const name = names.find((one) => scripts.has(one));
    if (name !== undefined) commands.push(`${run} ${name}`);
  }
  const isTypeScript = has('tsconfig.json') && has('node_modules/.bin/tsc');
  if (isTypeScript && !SCRIPTS[1].some((name) => scripts.has(name)) && !scripts.has('check')) {
    commands.push('node_modules/.bin/tsc --noEmit');
  }
  const python = `${read('pyproject.toml') ?? ''}\n${read('setup.cfg') ?? ''}`;
  if (has('ruff.toml') || has('.ruff.toml') || /^\[tool\.ruff\b/m.test(python)) commands.push('ruff check .');
  if (has('mypy.ini') || /^\[(?:tool\.)?mypy\b/m.test(python)) commands.push('mypy .');
  if (has('Cargo.toml')) commands.push('cargo check', 'cargo clippy -- -D warnings');
  if (has('go.mod')) commands.push('go vet ./...');
  const makefile = ['GNUmakefile', 'makefile', 'Makefile'].map(read).find((text) => text !== undefined) ?? '';
  if (commands.length === 0 && hasTarget(makefile, 'lint')) commands.push('make lint');
  if (hasTarget(makefile, 'check')) commands.push('make check');
  if (commands.length === 0 && scripts.has('test')) commands.push(`${run} test`);
  return commands;
}

function hasTarget(makefile: string, name: string): boolean {
  return new RegExp(`^${name}\\s*:(?!=)`, 'm').test(makefile);
}

/** The scripts of the package.json in a folder. */
export function readScripts(folder: string): Record<string, string> | undefined {
  try {
    const { scripts } = JSON.parse(readSmall(join(folder, 'package.json')) ?? '{}') as {
      scripts?: Record<string, string>;
    };
    return scripts;
  } catch {
    return undefined;
  }
}

function readScriptNames(text: string | undefined): ReadonlySet<string> {
  try {
    const { scripts } = JSON.parse(text ?? '{}') as { scripts?: Record<string, unknown> };
    const named = Object.entries(scripts ?? {}).filter(
      ([, line]) => typeof line === 'string' && !/no test specified/.test(line),
    );
    return new Set(named.map(([name]) => name));
  } catch {
    // The project's own checks report the mistake.
    return new Set();
  }
}

function findPackageManager(has: (name: string) => boolean): string {
  if (has('pnpm-lock.yaml')) return 'pnpm';
  if (has('yarn.lock')) return 'yarn';
  if (has('bun.lock') || has('bun.lockb')) return 'bun';
  return 'npm';
}

function readSmall(path: string): string | undefined {
  try {
    return readForeignFileSync(path, { max: MAX_BYTES }).text;
  } catch {
    return undefined;
  }
}
