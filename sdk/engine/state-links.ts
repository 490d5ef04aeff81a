import { overlaps } from '@klaus/adapters/workspace';
import type { Engine } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';

/**
 * Refuses folders in which an agent could change Klaus's own state, because entries of the state folder are links to what
 * is in them.
 *
 * @param links Paths as `findStateLinks` of the adapters returns them. @param folders Absolute real paths.
 * @throws KlausError `workspace.refused`.
 */
export function checkStateLinks(links: readonly string[], folders: readonly string[]): void {
  for (const folder of folders)
    for (const link of links)
      if (overlaps(link, folder)) {
        throw new KlausError(
          'workspace.refused',
          `${link} belongs to Klaus's own state, and an agent in ${folder} could change it.`,
          {
            hint: `Replace the link to it in the state folder by a copy, or work in another folder.`,
          },
        );
      }
}

/** An engine that restores no folder which {@link checkStateLinks} refuses. */
export function withoutStateLinks(engine: Engine): Engine {
  return {
    ...engine,
    async openSnapshots(root) {
      checkStateLinks(engine.linkedState?.() ?? [], [root]);
      return engine.openSnapshots(root);
    },
  };
}
