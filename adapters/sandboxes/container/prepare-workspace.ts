import type { ExecRequest } from '@klaus/core/agent';
import { findBindMasks, mergeMasks, toUserHomes } from '../protection/bind-masks.ts';
import { listHidden } from '../protection/list-hidden.ts';
import { selectMasks, type Mask } from '../protection/masks.ts';
import { protectFolders, type Protection } from '../protection/protected-folders.ts';
import type { ReusableStores } from '../protection/reusable-stores.ts';
import type { ProjectHome } from '../project-home.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { toBesideView, toView, type WorkspaceView } from '../view.ts';

/** What the mounts of a container have to show, hide and protect. */
export interface PreparedWorkspace {
  view: WorkspaceView;
  masks: readonly Mask[];
  /** Opens the protection of a command. The caller closes it. */
  protect: (stores: ReusableStores['stores']) => Protection;
}

/**
 * Finds what a command in a container may not see or change.
 *
 * @param since Unix milliseconds of the start of the driver.
 * @param warnings Receives a sentence for each folder that is hidden completely.
 * @throws KlausError `usage`, `sandbox.failed` when too many files have to be hidden.
 */
export async function prepareWorkspace(
  options: SandboxOptions,
  request: ExecRequest,
  { project, since, warnings }: { project: Pick<ProjectHome, 'home'>; since: number; warnings: Set<string> },
): Promise<PreparedWorkspace> {
  const { workspace, home, env } = options;
  const view = toView(request, workspace);
  const binds = (request.binds ?? []).map((bind) => bind.path);
  const shown = [workspace, ...(request.readable ?? []), ...binds, project.home];
  const protect = [...((await options.protect?.()) ?? []), ...(request.protect ?? [])];
  const known = (await options.repositories?.()) ?? [];
  const folders = (request.writable ?? []).map((path) => toBesideView(request, path));
  const paths = await listHidden(options, { ...request, shown, since, network: false });
  const selected = selectMasks(paths, shown, view);
  for (const warning of selected.warnings) warnings.add(warning);
  const bindMasks = await findBindMasks({
    ...{ home, binds, except: [workspace, home], known: paths },
    ...{ userHomes: toUserHomes(env), hidesGit: false },
  });
  return {
    view,
    masks: mergeMasks(selected.masks, bindMasks),
    protect: (stores) => protectFolders({ view, home, protect, known, folders, stores }),
  };
}
