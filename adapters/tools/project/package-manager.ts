import { readPackageManager, toProgramSource, type DeclaredManager } from '@klaus/core/policy';
import { findAbove, type ProjectContext } from './find-above.ts';
import { createProjectReader } from './project-files.ts';

export interface PackageManager {
  name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  /** Installs the dependencies of package.json. */
  install: string;
  /** Adds a development dependency, whose name follows. */
  add: string;
  /** Installs the package manager itself. */
  bring: string;
}

const NPM: PackageManager = {
  name: 'npm',
  install: 'npm install',
  add: 'npm install --save-dev',
  bring: toProgramSource('npm'),
};

function toManager(name: 'pnpm' | 'yarn' | 'bun', devFlag: string): PackageManager {
  return { name, install: `${name} install`, add: `${name} add ${devFlag}`, bring: toProgramSource(name) };
}

const MANAGERS: Readonly<Record<DeclaredManager['name'], PackageManager>> = {
  npm: NPM,
  pnpm: toManager('pnpm', '--save-dev'),
  yarn: toManager('yarn', '--dev'),
  bun: toManager('bun', '--dev'),
};

const BY_LOCK: readonly [lock: string, manager: PackageManager][] = [
  ['pnpm-lock.yaml', MANAGERS.pnpm],
  ['yarn.lock', MANAGERS.yarn],
  ['bun.lock', MANAGERS.bun],
  ['bun.lockb', MANAGERS.bun],
];

/**
 * The package manager that the package.json of the workspace names, else by the lock file of the workspace or of the
 * surrounding repository; npm without one.
 */
export async function findPackageManager(context: ProjectContext): Promise<PackageManager> {
  const declared = readPackageManager(createProjectReader(context.workspace.root)('package.json') ?? '');
  if (declared) return MANAGERS[declared.name];
  for (const [lock, manager] of BY_LOCK) if ((await findAbove(context, lock)) !== undefined) return manager;
  return NPM;
}

/**
 * The command line that runs a script of package.json.
 *
 * @param script Quoted for the shell, like the arguments, each of which has a space before it.
 */
export function toScriptLine({ name }: PackageManager, script: string, args = ''): string {
  // `bun test` is a test runner, and does not run the script.
  const verb = script === 'test' && name !== 'bun' ? 'test' : `run ${script}`;
  return `${name} ${verb}${name === 'npm' && args !== '' ? ' --' : ''}${args}`;
}
