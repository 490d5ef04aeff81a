import { existsSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { createSecretFiles } from '@klaus/adapters/workspace';
import type { Engine } from '@klaus/core/agent';
import { isSecretFile } from '@klaus/core/policy';
import type { TreeChange } from '@klaus/core/protocol';

/** True for a path whose content no door shows. Relative to the workspace, with forward slashes. */
export type IsHidden = (path: string) => boolean;

/**
 * Recognizes the names of secret files: those of Klaus, of the settings and of the policy, and files whose reading the
 * policy denies. Every reader of a workspace or of its states that shows content to a user asks it.
 *
 * @param engine That of the workspace, with its policy.
 */
export function toHiddenNames({ settings }: Pick<Engine, 'settings'>): IsHidden {
  const patterns = toPatterns({ settings });
  return (path) => isSecretFile(path, patterns);
}

/** The same, also for other names of these files: hard links and the targets of links. */
export async function findHiddenFiles(engine: Pick<Engine, 'settings'>, root: string): Promise<IsHidden> {
  const isNamed = toHiddenNames(engine);
  if (!existsSync(root)) return isNamed;
  const files = await createSecretFiles(root, toPatterns(engine)).find();
  const found = new Set(files.map((path) => relative(root, path).split(sep).join('/')));
  return (path) => found.has(path) || isNamed(path);
}

/** The same for the changes of a session, also for a hidden content under a new name. */
export function findHiddenChanges(changes: readonly TreeChange[], isHidden: IsHidden): IsHidden {
  const hashesOf = ({ before, after }: TreeChange): string[] =>
    [before, after].flatMap((side) => (side?.type === 'file' && side.size > 0 ? [side.hash] : []));
  const hashes = new Set(changes.filter(({ path }) => isHidden(path)).flatMap(hashesOf));
  const moved = changes.filter((change) => hashesOf(change).some((hash) => hashes.has(hash)));
  const paths = new Set(moved.map(({ path }) => path));
  return (path) => paths.has(path) || isHidden(path);
}

function toPatterns({ settings: { secretPatterns, hiddenPatterns } }: Pick<Engine, 'settings'>): readonly string[] {
  return [...secretPatterns, ...hiddenPatterns];
}
