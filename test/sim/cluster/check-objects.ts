import { splitState, type Draft, type Store } from '@klaus/core/agent';
import type { Event } from '@klaus/core/protocol';
import { toBlobRefs } from '../../../adapters/store/shared/blob-refs.ts';
import type { Monitor } from '../monitor.ts';
import type { MemoryObjects } from '../stores/memory-objects.ts';

/** The store, with a check that every object exists which an appended event names. */
export function checkObjects(store: Store, objects: MemoryObjects, monitor: Monitor): Store {
  return {
    ...store,
    append(session, drafts, options) {
      for (const draft of drafts)
        for (const name of toNames(draft))
          if (!objects.hasNamed(name)) monitor.fail('objects before events', `${draft.type} names ${name} too early`);
      return store.append(session, drafts, options);
    },
  };
}

function toNames(draft: Draft): string[] {
  if (draft.type === 'workspace.snapshotted') return [...splitState(draft.tree)];
  return toBlobRefs(draft as Event).map(({ hash }) => hash);
}
