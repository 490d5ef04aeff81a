import { accessSync, constants, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import type { ConfigurationInput } from '../config/load-configuration.ts';
import { createSystemIds } from '../engine/system-ids.ts';
import { type Finding, ok, toFailure, warn } from './finding.ts';

interface WorkspacePlace extends Pick<ConfigurationInput, 'cwd' | 'home'> {
  configuration: Configuration;
  /** The user's home folder. Default: that of the account. */
  userHome?: string;
}

/** Checks the folder that an agent would work in, and its policy. */
export async function checkWorkspace(place: WorkspacePlace): Promise<Finding[]> {
  const { cwd, home, configuration, userHome } = place;
  const folder = resolve(cwd, configuration.get('workspace'));
  const { openWorkspaceRoot } = await import('@klaus/adapters/workspace');
  try {
    openWorkspaceRoot(folder, { klausHome: home, home: userHome });
  } catch (error) {
    const failure = toFailure('workspace', error, 'workspace.missing');
    // An unsuitable current folder does not prevent runs elsewhere; an unsuitable configured folder does.
    if (configuration.sources['workspace'].source !== 'default') return [failure];
    const { code: _, ...finding } = failure;
    return [{ ...finding, status: 'warn' }];
  }
  return [checkRights(folder), await checkPolicy({ ...place, folder })];
}

function checkRights(folder: string): Finding {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok('workspace', folder);
  } catch (error) {
    const isReadOnly = (error as NodeJS.ErrnoException).code === 'EROFS';
    const why = isReadOnly ? ': its disk is read-only' : ' by this user';
    const fix = isReadOnly ? 'Make the disk writable.' : `Type: sudo chown -R "$USER" ${folder}`;
    return warn('workspace', `${folder} cannot be written${why}, so the agent can only read there`, fix);
  }
}

async function checkPolicy({ folder, home }: WorkspacePlace & { folder: string }): Promise<Finding> {
  const [{ loadPolicy }, { builtinTools }] = await Promise.all([
    import('../policy/load-policy.ts'),
    import('@klaus/adapters/tools'),
  ]);
  try {
    const ids = createSystemIds();
    const { entries } = await loadPolicy({
      home,
      workspace: realpathSync.native(folder),
      tools: builtinTools.map((tool) => tool.name),
      digest: (text) => ids.digest(text),
    });
    return ok('policy', entries.length === 1 ? '1 rule' : `${entries.length} rules`);
  } catch (error) {
    return toFailure('policy', error, 'config');
  }
}
