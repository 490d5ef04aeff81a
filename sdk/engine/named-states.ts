import type { Event, TreeId } from '@klaus/core/protocol';

/** The states of the workspace that an event names, each possibly of several folders: see `splitState`. */
export function statesOf(event: Event): TreeId[] {
  switch (event.type) {
    case 'workspace.snapshotted':
      return [event.tree, event.gitTree, event.own, event.gitOwn, event.unclear].filter((state) => state !== undefined);
    case 'tool.finished':
      return event.evidence?.tree === undefined
        ? []
        : [event.evidence.tree, event.evidence.left ?? event.evidence.tree];
    case 'workspace.restored':
      return [event.from, event.to, ...(event.git ? [event.git.from, event.git.to] : [])];
    case 'workspace.committed':
      return event.gitTree === undefined ? [] : [event.gitTree];
    case 'approval.asked':
      return event.subject.kind === 'changes' ? [event.subject.from, event.subject.to] : [];
    default:
      return [];
  }
}
