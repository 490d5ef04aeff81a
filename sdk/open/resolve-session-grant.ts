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
  /** What relative paths are relative to. */
  cwd: string;
}

/**
 * The grant of a session, and the folders beside its workspace that it may read.
 *
 * @param at.workspace Absolute real path.
 * @throws KlausError `usage` for what is no grant, `workspace.missing` and `workspace.refused` for a folder.
 */
export function resolveSessionGrant(
  { given, configuration, cwd }: SessionGrantInput,
  { workspace, engine }: { workspace: string; engine: Engine },
): { grant: Grant } & OutsideFolders {
  const now = engine.clock.now();
  const input = { given, configuration, cwd, workspace, state: engine.home };
  if (given.grant === undefined) {
    const beside = findOutsideFolders(input);
    return { grant: toOpeningGrant(undefined, { workspace, ...beside, now }), ...beside };
  }
  const wanted = toOpeningGrant(given.grant, { workspace, now });
  const { grant, folders } = resolveGrantPaths(wanted, { workspace, state: engine.home, check: given.checkFolder });
  return { grant, ...findOutsideFolders({ ...input, granted: folders }) };
}
