import type { Engine } from '@klaus/core/agent';
import type { Grant } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import { toOpeningGrant } from '../grants/opening-grant.ts';
import type { OpenOptions } from '../klaus-options.ts';
import { findOutsideFolders, type OutsideFolders } from './outside-folders.ts';
import { resolveGrantPaths } from './resolve-grant-paths.ts';

export interface SessionGrantInput {
  given: Pick<OpenOptions, 'grant' | 'root' | 'checkFolder'>;
  configuration: Configuration;
  /** The base of relative paths. */
  cwd: string;
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
): { grant: Grant } & OutsideFolders {
  const now = engine.clock.now();
  const input = { given, configuration, cwd, workspace, state: engine.home };
  if (given.grant === undefined) {
    const outside = findOutsideFolders(input);
    return { grant: toOpeningGrant(undefined, { workspace, ...outside, now }), ...outside };
  }
  const wanted = toOpeningGrant(given.grant, { workspace, now });
  const { grant, folders } = resolveGrantPaths(wanted, { workspace, state: engine.home, check: given.checkFolder });
  return { grant, ...findOutsideFolders({ ...input, granted: folders }) };
}
