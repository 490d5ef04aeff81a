import { findBindMasks, mergeMasks, toUserHomes } from '../../protection/bind-masks.ts';
import type { Mask } from '../../protection/masks.ts';
import type { SandboxOptions } from '../../sandbox-options.ts';

/** Bound with the system, but filled by hand: programs and their settings. */
const LOCAL = ['/usr/local', '/usr/etc'];

export interface ShownFolders {
  /** Parts of toolchains that are bound. */
  toolchains: readonly string[];
  /** What is bound by request. */
  asked: readonly string[];
  /** Secret files that are known already. */
  known: readonly string[];
}

/** What is to be hidden in the toolchains, in what is bound by request, and in what was installed by hand. */
export async function findShownMasks(
  { workspace, home, env }: Pick<SandboxOptions, 'workspace' | 'home' | 'env'>,
  { toolchains, asked, known }: ShownFolders,
): Promise<Mask[]> {
  const common = { home, except: [workspace, home], known, userHomes: toUserHomes(env) };
  const [own, others] = await Promise.all([
    findBindMasks({ ...common, binds: [...toolchains, ...LOCAL], hidesGit: true }),
    findBindMasks({ ...common, binds: asked, hidesGit: false }),
  ]);
  return mergeMasks(own, others);
}
