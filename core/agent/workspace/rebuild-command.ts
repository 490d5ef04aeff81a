import { quoteShellWord } from '../../protocol/index.ts';

/** True for a path in the states of the workspace. */
export type HasPath = (path: string) => Promise<boolean>;

const FETCH = 'klaus fetch';
/** Commands that install what a lock file names. */
const INSTALLS: readonly (readonly [file: string, command: string])[] = [
  ['package-lock.json', 'npm ci'],
  ['npm-shrinkwrap.json', 'npm ci'],
  ['pnpm-lock.yaml', FETCH],
  ['yarn.lock', FETCH],
  ['bun.lock', FETCH],
  ['bun.lockb', FETCH],
];

/** The command that rebuilds the folder of a tool, to be run in the workspace; undefined for an unknown tool. */
export async function findRebuildCommand(folder: string, has: HasPath): Promise<string | undefined> {
  if (/(?:^|\/)node_modules$/.test(folder)) return await findInstall(folder, has);
  if (await has(`${folder}/pyvenv.cfg`)) return FETCH;
  const crate = await findAbove(folder, has, ['Cargo.toml']);
  const isCargo = (await has(`${folder}/.rustc_info.json`)) || (crate && /(?:^|\/)target$/.test(folder));
  return isCargo ? inFolder(crate?.folder ?? '', 'cargo build') : undefined;
}

async function findInstall(folder: string, has: HasPath): Promise<string> {
  const lock = await findAbove(
    folder,
    has,
    INSTALLS.map(([file]) => file),
  );
  const command = INSTALLS.find(([file]) => file === lock?.file)?.[1];
  // It finds the projects in the workspace by itself.
  if (command === FETCH) return command;
  return inFolder(lock?.folder ?? parentOf(folder), command ?? 'npm install');
}

/** The nearest of some files in the folders above one. */
async function findAbove(
  folder: string,
  has: HasPath,
  files: readonly string[],
): Promise<{ folder: string; file: string } | undefined> {
  for (let above = folder; above !== '';) {
    above = parentOf(above);
    for (const file of files) if (await has(above === '' ? file : `${above}/${file}`)) return { folder: above, file };
  }
  return undefined;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function inFolder(folder: string, command: string): string {
  return folder === '' ? command : `cd ${quoteShellWord(folder)} && ${command}`;
}
