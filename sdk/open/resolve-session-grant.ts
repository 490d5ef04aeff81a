import type { Engine } from '@klaus/core/agent';
import type { Grant } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import { toOpeningGrant } from '../grants/opening-grant.ts';
import type { OpenOptions } from '../klaus-options.ts';
import { findReadable, type Beside } from './outside-folders.ts';
import { placeGrant } from './resolve-grant-paths.ts';

export interface PlaceSessionInput {
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
export function placeSession(
  { given, configuration, cwd }: PlaceSessionInput,
  { workspace, engine }: { workspace: string; engine: Engine },
): { grant: Grant } & Beside {
  const now = engine.clock.now();
  const input = { given, configuration, cwd, workspace, state: engine.home };
  if (given.grant === undefined) {
    const beside = findReadable(input);
    return { grant: toOpeningGrant(undefined, { workspace, ...beside, now }), ...beside };
  }
  const wanted = toOpeningGrant(given.grant, { workspace, now });
  const { grant, folders } = placeGrant(wanted, { workspace, state: engine.home, check: given.checkFolder });
  return { grant, ...findReadable({ ...input, granted: folders }) };
}
