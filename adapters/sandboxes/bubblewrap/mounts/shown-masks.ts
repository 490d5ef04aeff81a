import { findBindMasks, mergeMasks, toUserHomes } from '../../protection/bind-masks.ts';
import type { Mask } from '../../protection/masks.ts';
import type { SandboxOptions } from '../../sandbox-options.ts';

/** Folders that are mounted with the system, but contain files of administrators. */
const LOCAL = ['/usr/local', '/usr/etc'];

export interface ShownFolders {
  /** Mounted parts of toolchains. */
  toolchains: readonly string[];
  /** Folders that the request mounts. */
  requested: readonly string[];
  /** Known secret files. */
  known: readonly string[];
}

/** The masks for toolchains, for folders that the request mounts, and for files of administrators. */
export async function findShownMasks(
  { workspace, home, env }: Pick<SandboxOptions, 'workspace' | 'home' | 'env'>,
  { toolchains, requested, known }: ShownFolders,
): Promise<Mask[]> {
  const common = { home, except: [workspace, home], known, userHomes: toUserHomes(env) };
  const [own, others] = await Promise.all([
    findBindMasks({ ...common, binds: [...toolchains, ...LOCAL], hidesGit: true }),
    findBindMasks({ ...common, binds: requested, hidesGit: false }),
  ]);
  return mergeMasks(own, others);
}
