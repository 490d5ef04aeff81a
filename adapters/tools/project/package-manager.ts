import { findAbove, type ProjectContext } from './find-above.ts';

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
  bring: 'Node.js, from https://nodejs.org/en/download',
};

function toManager(name: 'pnpm' | 'yarn' | 'bun', devFlag: string): PackageManager {
  return { name, install: `${name} install`, add: `${name} add ${devFlag}`, bring: `npm install --global ${name}` };
}

const BY_LOCK: readonly [lock: string, manager: PackageManager][] = [
  ['pnpm-lock.yaml', toManager('pnpm', '--save-dev')],
  ['yarn.lock', toManager('yarn', '--dev')],
  ['bun.lock', toManager('bun', '--dev')],
  ['bun.lockb', toManager('bun', '--dev')],
];

/** The package manager by the lock file of the workspace or of the surrounding repository; npm without one. */
export async function findPackageManager(context: ProjectContext): Promise<PackageManager> {
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
