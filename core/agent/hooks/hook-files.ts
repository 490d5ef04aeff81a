import { findScripts, toRelative } from '../../policy/index.ts';
import type { EventOf } from '../../protocol/index.ts';
import { findRunScripts } from '../calls/run-scripts.ts';
import type { Work } from '../loop/work.ts';

/** What a package manager writes, and the file whose scripts the gate asks about. */
const NOT_OF_HOOKS = /(?:^|\/)(?:node_modules\/|package\.json$)/;
const PROJECT_DIR = /\$(?:\{(?:CLAUDE|KLAUS)_PROJECT_DIR\}|(?:CLAUDE|KLAUS)_PROJECT_DIR\b)/g;

/** Files that were found while a session was held: a script that changes cannot remove the ones that it named. */
const known = new WeakMap<Work, Set<string>>();

/**
 * Files of the workspace that the commands of hooks run, directly or through other files, as relative paths. A file that a
 * command names need not exist. Without hooks nothing is read.
 */
export async function findHookFiles(work: Work): Promise<readonly string[]> {
  const commands = listCommands(work);
  if (commands.length === 0) return [];
  const found = known.get(work) ?? new Set<string>();
  known.set(work, found);
  const workspace = await work.workspace();
  const { root } = workspace;
  const { ids } = work.engine;
  for (const command of commands) {
    const line = command.replaceAll(PROJECT_DIR, root);
    const { files } = findScripts(line, { workspace: root, cwd: root });
    const { scripts } = await findRunScripts(workspace, [{ kind: 'exec', command: line }], { ids, running: () => [] });
    const paths = [...[...files].map((path) => toRelative(path, root)), ...scripts.map(({ path }) => path)];
    for (const path of paths) if (path && !NOT_OF_HOOKS.test(path)) found.add(path);
  }
  return [...found];
}

/** The existing ones as absolute paths, which no command may change. */
export async function findProtectedHookFiles(work: Work): Promise<readonly string[]> {
  const files = await findHookFiles(work);
  if (files.length === 0) return files;
  const workspace = await work.workspace();
  const states = await Promise.all(files.map((path) => workspace.stat(path).catch(() => undefined)));
  return files.filter((_, at) => states[at]?.kind === 'file').map((path) => `${workspace.root}/${path}`);
}

/** A file of a hook that is not as it was before the effects of this turn; undefined if there is none. */
export async function findChangedHookFile(work: Work): Promise<string | undefined> {
  const opened: Pick<EventOf<'workspace.snapshotted'>, 'tree'> | undefined = work.state.openSnapshot;
  if (!opened) return undefined;
  const [snapshots, workspace] = await Promise.all([work.snapshots(), work.workspace()]);
  for (const path of await findHookFiles(work)) {
    const before = (await snapshots.entry(opened.tree, path))?.hash ?? null;
    if ((await workspace.hash(path)) !== before) return path;
  }
  return undefined;
}

function listCommands({ engine }: Work): string[] {
  const groups = Object.values(engine.settings.hooks ?? {}).flat();
  return groups.flatMap(({ hooks }) => hooks.flatMap((hook) => (hook.type === 'command' ? [hook.command] : [])));
}
