import { findScripts, isSystemPath, toRelative, type ScriptUse } from '../../policy/index.ts';
import { singleQuote, unlessFailed, type Access, type BoundScript } from '../../protocol/index.ts';
import { readMain, readPackage, scriptsOf, toScriptLines } from './package-scripts.ts';
import type { Ids } from '../ports/ids.ts';
import type { Workspace } from '../ports/workspace.ts';

/** Maximum files that are bound, levels of scripts that run other scripts, and bytes of a script. */
const MAX_FILES = 128;
const MAX_ROUNDS = 6;
const MAX_BYTES = 256 * 1_024;

/** The script files that a call runs, with their present hashes. */
export interface RunScripts {
  scripts: BoundScript[];
  /** False if some files are unknown, so that an approval cannot apply to a later call. */
  isComplete: boolean;
  /** Names of background processes that can replace these scripts, and have less access than the call. */
  rivals: readonly string[];
}

/** For a call whose scripts are not searched. */
export const NO_SCRIPTS: RunScripts = { scripts: [], isComplete: true, rivals: [] };

interface Line {
  line: string;
  /** Absolute. */
  cwd: string;
}

/**
 * Finds the script files that the commands of a call run, directly or through scripts, and their hashes.
 *
 * @param running Names of background processes that can write to the workspace, and so replace a script after it was
 *   compared. They gain access only if the call reaches the network or another folder.
 */
export async function findRunScripts(
  workspace: Workspace,
  access: readonly Access[],
  { ids, running }: { ids: Ids; running: () => readonly string[] },
): Promise<RunScripts> {
  const { root } = workspace;
  const lines: Line[] = access.flatMap((item) =>
    item.kind === 'exec' ? [{ line: item.command, cwd: item.cwd ?? root }] : [],
  );
  const contents = new Map<string, string>();
  const hashes = new Map<string, string>();
  const seen = new Set<string>();
  let isComplete = true;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const uses = lines.map(({ line, cwd }) => findScripts(line, { workspace: root, cwd, files: contents }));
    // Commands that a script computes are covered by the hash of that script.
    if (round === 0) isComplete = uses.every((use) => use.isComplete);
    if (uses.some((use) => !use.isReadable)) isComplete = false;
    const known = seen.size + lines.length;
    for (const path of uses.flatMap(({ files }) => [...files])) {
      if (seen.has(path)) continue;
      seen.add(path);
      const relative = toRelative(path, root);
      if (relative === undefined) {
        if (round === 0 && !isSystemPath(path)) isComplete = false;
        continue;
      }
      if (hashes.size >= MAX_FILES) isComplete = false;
      else if (!(await bindFile(workspace, { path, relative }, { hashes, contents }))) isComplete = false;
      // A folder that is run by its package.json.
      const main = relative.endsWith('package.json') ? readMain(contents.get(path)) : undefined;
      if (main !== undefined)
        lines.push({ line: `node ${singleQuote(`./${main}`)}`, cwd: path.replace(/\/[^/]*$/, '') || '/' });
    }
    for (const found of await bindPackages(workspace, uses, { hashes, ids }))
      if (!lines.some(({ line, cwd }) => line === found.line && cwd === found.cwd)) lines.push(found);
    if (seen.size + lines.length === known) break;
  }
  const scripts = [...hashes].map(([path, hash]) => ({ path, hash }));
  const isWider = access.some(
    (item) => item.kind === 'net' || (item.kind === 'fs' && toRelative(item.path, root) === undefined),
  );
  const rivals = isWider && scripts.length > 0 ? running() : [];
  return { scripts: scripts.sort((a, b) => (a.path < b.path ? -1 : 1)), isComplete, rivals };
}

/** False if the file exists and cannot be read, such as a link out of the workspace. */
async function bindFile(
  workspace: Workspace,
  { path, relative }: { path: string; relative: string },
  { hashes, contents }: { hashes: Map<string, string>; contents: Map<string, string> },
): Promise<boolean> {
  const isBound = await unlessFailed(async () => {
    const state = await workspace.stat(relative);
    const hash = state?.kind === 'file' ? await workspace.hash(relative) : null;
    if (hash === null) return true;
    hashes.set(relative, hash);
    if (state!.size > MAX_BYTES) return true;
    const text = new TextDecoder().decode(await workspace.read(relative, { maxBytes: MAX_BYTES }));
    if (!text.includes('\0')) contents.set(path, text);
    return true;
  });
  return isBound ?? false;
}

/** Binds the scripts of the package.json that a package manager finds. Returns the commands that it runs. */
async function bindPackages(
  workspace: Workspace,
  uses: readonly ScriptUse[],
  { hashes, ids }: { hashes: Map<string, string>; ids: Ids },
): Promise<Line[]> {
  const lines: Line[] = [];
  for (const { folder, script } of uses.flatMap(({ packages }) => packages)) {
    for (let at = folder; toRelative(at, workspace.root) !== undefined; at = at.replace(/\/[^/]*$/, '') || '/') {
      const relative = toRelative(`${at}/package.json`, workspace.root)!;
      const content = await readPackage(workspace, relative, MAX_BYTES);
      if (content) {
        const scripts = scriptsOf(content);
        // If the file itself is run, it is already bound completely.
        if (!hashes.has(relative)) hashes.set(relative, ids.digest(scripts));
        lines.push(...toScriptLines(scripts, script).map((line) => ({ line, cwd: at })));
        break;
      }
      if (at === workspace.root || at === '/') break;
    }
  }
  return lines;
}
