import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_CONFIGURATION } from '@klaus/core/policy';
import { contains } from '../paths.ts';
import { toSource, type WorkspaceView } from '../view.ts';
import { type PlaceMount, ProtectedWorkspace, type ProtectedWorkspaceOptions } from './protected-workspace.ts';

/** What is held of a workspace, or of it and of folders beside it, while a command runs. */
export type Protection = Pick<
  ProtectedWorkspace,
  'external' | 'pinned' | 'readOnly' | 'saved' | 'stores' | 'held' | 'isClosed' | 'close' | 'closeForNext' | 'discard'
>;

export interface ProtectedFoldersOptions extends ProtectedWorkspaceOptions {
  /** A git folder outside of one, as a linked worktree has it, is shown, and only read where a layer stands in. */
  folders: readonly WorkspaceView[];
}

/**
 * Protects a workspace, and in the same way the folders beside it that the command may change.
 */
export function protectFolders({ folders, ...options }: ProtectedFoldersOptions): Protection {
  const opened: ProtectedWorkspace[] = [ProtectedWorkspace.open(withKnown(options, options.view.target))];
  if (folders.length === 0) return opened[0]!;
  const close = (): string[] => opened.flatMap((one) => one.close());
  try {
    for (const folder of folders) opened.push(ProtectedWorkspace.open(toFolderOptions(options, folder)));
  } catch (error) {
    close();
    throw error;
  }
  const [own, ...others] = opened;
  const external = [...own!.external];
  const onlyRead: PlaceMount[] = [];
  const shown = [options.view, ...folders].map(({ target }) => target);
  /** What each folder brings along: itself, and its git folder elsewhere where nobody else shows that. */
  const places = others.map((one, at) => {
    const { source, target } = folders[at]!;
    const elsewhere = one.external.filter(
      (place) => ![...shown, ...external.map((each) => each.target)].some((path) => contains(path, place.target)),
    );
    if (source !== target) onlyRead.push(...elsewhere);
    else external.push(...elsewhere);
    return source === target ? [target, ...elsewhere.map((place) => place.target)] : [target];
  });
  const beside = (kind: 'pinned' | 'readOnly'): PlaceMount[] =>
    others.flatMap((one, at) => one[kind].filter(({ target }) => places[at]!.some((path) => contains(path, target))));
  return {
    external,
    pinned: [...own!.pinned, ...beside('pinned')],
    readOnly: [...onlyRead, ...own!.readOnly, ...beside('readOnly')],
    saved: { ...own!.saved, beside: others.map(({ saved }) => saved) },
    stores: opened.flatMap(({ stores }) => stores),
    held: opened.flatMap(({ held }) => held),
    get isClosed() {
      return own!.isClosed;
    },
    close,
    closeForNext() {
      const all = opened.map((one) => one.closeForNext());
      const stores = all.flatMap(({ spare }) => spare.stores);
      const kept = all.flatMap(({ spare }) => spare.folders);
      const release = (): void => all.forEach(({ spare }) => spare.release());
      const warnings = all.flatMap((each) => each.warnings);
      return { warnings, spare: { folders: kept, stores, release } };
    },
    discard: (taken) => opened.forEach((one) => one.discard(taken)),
  };
}

function toFolderOptions(options: ProtectedWorkspaceOptions, view: WorkspaceView): ProtectedWorkspaceOptions {
  return {
    ...withKnown(options, view.target),
    view,
    protect: AGENT_CONFIGURATION.map((name) => join(view.target, name)).filter((path) =>
      existsSync(toSource(view, path)),
    ),
  };
}

function withKnown(options: ProtectedWorkspaceOptions, folder: string): ProtectedWorkspaceOptions {
  return { ...options, known: (options.known ?? []).filter((path) => contains(folder, path)) };
}
