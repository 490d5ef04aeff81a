import type { Authority, Grant } from '@klaus/core/protocol';
import { isIn, toFolder } from './outside-folders.ts';

export interface GrantPathsInput {
  /** Absolute real path. */
  workspace: string;
  /** `KLAUS_HOME`. */
  state: string;
  /** Asked about each folder outside of the workspace: throws for one that may not be shown. */
  check?: ((folder: string) => void) | undefined;
}

/**
 * Finds what a grant lets be read outside of the workspace. A grant speaks of real paths from then on.
 *
 * @returns `folders`: absolute real paths.
 * @throws KlausError `workspace.missing` for a folder that is not there, `workspace.refused` for one that no grant can
 *   open: `/`, the home folder, Klaus's state, places of secrets and of the system.
 */
export function resolveGrantPaths(
  grant: Grant,
  { workspace, state, check }: GrantPathsInput,
): { grant: Grant; folders: string[] } {
  const folders = new Set<string>();
  const place = (authority: Authority): Authority => {
    if (authority.kind !== 'fs' || !authority.rights.includes('r') || isIn(authority.path, workspace)) return authority;
    // Before anything is said about what is there.
    check?.(authority.path);
    const path = toFolder(authority.path, { cwd: workspace, state });
    if (path !== authority.path) check?.(path);
    folders.add(path);
    return { ...authority, path };
  };
  const { authorities, delegable, ...rest } = grant;
  const placed = {
    ...rest,
    authorities: authorities.map(place),
    ...(delegable ? { delegable: delegable.map(place) } : {}),
  };
  return { grant: placed, folders: [...folders] };
}
