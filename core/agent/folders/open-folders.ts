import { KlausError } from '../../protocol/index.ts';
import type { Engine } from '../loop/engine.ts';
import type { openedOf } from '../state/state.ts';
import type { Layers } from '../ports/layer.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { Workspace } from '../ports/workspace.ts';
import { joinLayers } from './join-layers.ts';
import { joinSnapshots } from './join-snapshots.ts';
import { joinWorkspaces } from './join-workspaces.ts';

/** The folders that a session may change: its workspace and others. */
export type WritableFolders = Pick<ReturnType<typeof openedOf>, 'workspace' | 'writable'>;

export async function openSnapshotsOf(
  engine: Pick<Engine, 'openFolder' | 'openSnapshots'>,
  { workspace, writable = [] }: WritableFolders,
): Promise<Snapshots> {
  const own = await engine.openSnapshots(workspace);
  const others = writable.map(async (root) => {
    await engine.openFolder(root);
    return { root, snapshots: await engine.openSnapshots(root) };
  });
  return joinSnapshots(own, await Promise.all(others));
}

export async function openLayersOf(
  engine: Pick<Engine, 'openFolder' | 'openLayers'>,
  { workspace, writable = [] }: WritableFolders,
): Promise<Layers> {
  const own = await engine.openLayers(workspace);
  const others = writable.map(async (root) => {
    await engine.openFolder(root);
    return { root, layers: await engine.openLayers(root) };
  });
  return joinLayers(own, await Promise.all(others));
}

/** @throws KlausError `workspace.missing` for a folder that was replaced by a symbolic link. */
export async function openWorkspaceOf(
  engine: Pick<Engine, 'openWorkspace'>,
  { workspace, writable = [] }: WritableFolders,
): Promise<Workspace> {
  const open = async (root: string): Promise<Workspace> => {
    const opened = await engine.openWorkspace(root);
    if (opened.root === root) return opened;
    throw new KlausError('workspace.missing', `The folder ${root} was replaced by a symbolic link.`);
  };
  return joinWorkspaces(await engine.openWorkspace(workspace), await Promise.all(writable.map(open)));
}
