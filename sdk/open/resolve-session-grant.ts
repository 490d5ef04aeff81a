import { join } from 'node:path';
import type { Engine } from '@klaus/core/agent';
import type { Authority, Grant } from '@klaus/core/protocol';
import { toOpeningGrant } from '../grants/opening-grant.ts';
import type { OpenOptions } from '../klaus-options.ts';
import { orUndefined } from '../or-undefined.ts';
import { findOutsideFolders, isIn, type OutsideFoldersInput, toFolder, toRealPath } from './outside-folders.ts';

interface SessionGrantInput extends Pick<OutsideFoldersInput, 'configuration' | 'cwd'> {
  given: Pick<OpenOptions, 'grant' | 'root' | 'checkFolder'>;
}

/**
 * The grant of a session, and the folders outside of its workspace that it may read.
 *
 * @param at.workspace Absolute real path.
 * @throws KlausError `usage` for an invalid grant, `workspace.missing` and `workspace.refused` for a folder.
 */
export function resolveSessionGrant(
  { given, configuration, cwd }: SessionGrantInput,
  { workspace, engine }: { workspace: string; engine: Engine },
) {
  const now = engine.clock.now();
  const input = { given, configuration, cwd, workspace, state: engine.home };
  if (given.grant === undefined) {
    const { readable, writable } = findOutsideFolders(input);
    const isKnown = (folder: string): boolean => [workspace, ...readable].some((known) => isIn(folder, known));
    // The default grant allows to read the skills of the user.
    const skills = engine
      .openSkills(workspace)
      .folders()
      .filter((folder) => !isKnown(folder));
    const shown = skills.filter((folder) => isShowable(folder, { cwd, state: engine.home }));
    const outside = { readable: [...readable, ...shown], writable };
    return { grant: toOpeningGrant(undefined, { workspace, ...outside, now }), ...outside };
  }
  const wanted = toOpeningGrant(given.grant, { workspace, now });
  const { grant, folders } = resolveGrantPaths(wanted, { workspace, state: engine.home, check: given.checkFolder });
  return { grant, ...findOutsideFolders({ ...input, granted: folders }) };
}

/** True for a folder that a user could name, and for those of `KLAUS_HOME/skills`. */
function isShowable(folder: string, at: { cwd: string; state: string }): boolean {
  if (isIn(folder, join(toRealPath(at.state), 'skills'))) return true;
  return orUndefined(() => toFolder(folder, at)) === folder;
}

/**
 * Resolves the folders outside of the workspace that a grant allows to read. The returned grant contains real paths.
 *
 * @returns `folders`: absolute real paths.
 * @throws KlausError `workspace.missing` for a folder that does not exist, `workspace.refused` for one that no grant can
 *   allow: `/`, the home folder, Klaus's state, folders with secrets or system files.
 */
function resolveGrantPaths(
  grant: Grant,
  { workspace, state, check }: { workspace: string; state: string; check: OpenOptions['checkFolder'] | undefined },
): { grant: Grant; folders: string[] } {
  const folders = new Set<string>();
  const resolve = (authority: Authority): Authority => {
    if (authority.kind !== 'fs' || !authority.rights.includes('r') || isIn(authority.path, workspace)) return authority;
    // Before an error reveals whether the folder exists.
    check?.(authority.path);
    const path = toFolder(authority.path, { cwd: workspace, state });
    if (path !== authority.path) check?.(path);
    folders.add(path);
    return { ...authority, path };
  };
  const { authorities, delegable, ...rest } = grant;
  const resolved = {
    ...rest,
    authorities: authorities.map(resolve),
    ...(delegable ? { delegable: delegable.map(resolve) } : {}),
  };
  return { grant: resolved, folders: [...folders] };
}
