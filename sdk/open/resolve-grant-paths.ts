import type { Authority, Grant } from '@klaus/core/protocol';
import { isIn, toFolder } from './outside-folders.ts';

export interface GrantPathsInput {
  /** Absolute real path. */
  workspace: string;
  /** `KLAUS_HOME`. */
  state: string;
  /** Called with each folder outside of the workspace: throws for one that may not be read. */
  check?: ((folder: string) => void) | undefined;
}

/**
 * Resolves the folders outside of the workspace that a grant allows to read. The returned grant contains real paths.
 *
 * @returns `folders`: absolute real paths.
 * @throws KlausError `workspace.missing` for a folder that does not exist, `workspace.refused` for one that no grant can
 *   allow: `/`, the home folder, Klaus's state, folders with secrets or system files.
 */
export function resolveGrantPaths(
  grant: Grant,
  { workspace, state, check }: GrantPathsInput,
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
