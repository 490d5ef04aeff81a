import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_CONFIGURATION } from '@klaus/core/policy';
import { contains } from '../paths.ts';
import { toSource, type WorkspaceView } from '../view.ts';
import { type BindMount, ProtectedWorkspace, type ProtectedWorkspaceOptions } from './protected-workspace.ts';

/** The protection of a workspace, and of writable folders outside it, while a command runs. */
export type Protection = Pick<ProtectedWorkspace, keyof ProtectedWorkspace>;

/**
 * Protects a workspace, and in the same way the writable folders outside it. Their external git folders are mounted too,
 * read-only if a layer replaces the folder.
 */
export function protectFolders({
  folders,
  ...options
}: ProtectedWorkspaceOptions & { folders: readonly WorkspaceView[] }): Protection {
  const opened: ProtectedWorkspace[] = [new ProtectedWorkspace(withKnown(options, options.view.target))];
  if (folders.length === 0) return opened[0]!;
  const close = (): string[] => opened.flatMap((one) => one.close());
  try {
    for (const folder of folders) opened.push(new ProtectedWorkspace(toFolderOptions(options, folder)));
  } catch (error) {
    close();
    throw error;
  }
  const [own, ...others] = opened;
  const external = [...own!.external];
  const onlyRead: BindMount[] = [];
  const shown = [options.view, ...folders].map(({ target }) => target);
  /** The folders that each entry adds: itself, and its external git folder unless another entry already has it. */
  const places = others.map((one, at) => {
    const { source, target } = folders[at]!;
    const elsewhere = one.external.filter(
      (place) => ![...shown, ...external.map((each) => each.target)].some((path) => contains(path, place.target)),
    );
    if (source !== target) onlyRead.push(...elsewhere);
    else external.push(...elsewhere);
    return source === target ? [target, ...elsewhere.map((place) => place.target)] : [target];
  });
  const beside = (kind: 'pinned' | 'readOnly'): BindMount[] =>
    others.flatMap((one, at) => one[kind].filter(({ target }) => places[at]!.some((path) => contains(path, target))));
  return {
    external,
    pinned: [...own!.pinned, ...beside('pinned')],
    readOnly: [...onlyRead, ...own!.readOnly, ...beside('readOnly')],
    saved: { ...own!.saved, beside: others.map(({ saved }) => saved) },
    stores: opened.flatMap(({ stores }) => stores),
    placeholders: opened.flatMap(({ placeholders }) => placeholders),
    get isClosed() {
      return own!.isClosed;
    },
    close,
    closeForReuse() {
      const all = opened.map((one) => one.closeForReuse());
      const stores = all.flatMap(({ reusable }) => reusable.stores);
      const kept = all.flatMap(({ reusable }) => reusable.folders);
      const release = (): void => all.forEach(({ reusable }) => reusable.release());
      const warnings = all.flatMap((each) => each.warnings);
      return { warnings, reusable: { folders: kept, stores, release } };
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
