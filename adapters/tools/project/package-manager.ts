import type { ToolContext } from '@klaus/core/agent';
import { findAbove } from './find-above.ts';

/** How a project's package manager is called. */
export interface PackageManager {
  name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  /** Installs what package.json names. */
  install: string;
  /** Adds a development dependency: the line before its name. */
  add: string;
  /** What brings the program itself. */
  bring: string;
}

const NPM: PackageManager = {
  name: 'npm',
  install: 'npm install',
  add: 'npm install --save-dev',
  bring: 'Node.js, from https://nodejs.org/en/download',
};
const PNPM: PackageManager = {
  name: 'pnpm',
  install: 'pnpm install',
  add: 'pnpm add --save-dev',
  bring: 'npm install --global pnpm',
};
const YARN: PackageManager = {
  name: 'yarn',
  install: 'yarn install',
  add: 'yarn add --dev',
  bring: 'npm install --global yarn',
};
const BUN: PackageManager = {
  name: 'bun',
  install: 'bun install',
  add: 'bun add --dev',
  bring: 'npm install --global bun',
};

const BY_LOCK: readonly [lock: string, manager: PackageManager][] = [
  ['pnpm-lock.yaml', PNPM],
  ['yarn.lock', YARN],
  ['bun.lock', BUN],
  ['bun.lockb', BUN],
];

/** The package manager of the workspace, by its lock file or that of the repository around it; npm where there is none. */
export async function findPackageManager(
  context: Pick<ToolContext, 'workspace' | 'readable'>,
): Promise<PackageManager> {
  for (const [lock, manager] of BY_LOCK) if ((await findAbove(context, lock)) !== undefined) return manager;
  return NPM;
}

/**
 * The line that runs a script of package.json.
 *
 * @param script Quoted for the shell, as are the arguments, each with a space before it.
 */
export function toScriptLine({ name }: PackageManager, script: string, args = ''): string {
  // `bun test` is bun's own runner; the others run the script.
  const verb = script === 'test' && name !== 'bun' ? 'test' : `run ${script}`;
  return `${name} ${verb}${name === 'npm' && args !== '' ? ' --' : ''}${args}`;
}
