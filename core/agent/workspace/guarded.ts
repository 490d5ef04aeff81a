import type { EventBody, EventOf, TreeId } from '../../protocol/index.ts';

/** The result of checking protected places after a command. */
export interface Guarded {
  /** Events to append before the state that follows. */
  bodies: EventBody[];
  /** The workspace after the repair. */
  tree: TreeId;
  /** Places that a command changed and that could not be restored. */
  unreverted: string[];
}

/** The same with git's own data. */
export interface GitGuarded extends Guarded {
  gitTree: TreeId | undefined;
  /** Files that a command hid from the comparison by Git. Absent: none. */
  hidden?: string[];
}

export interface GuardInput {
  /** The state before the command. `uncovered`: paths that it does not contain, if known. */
  opened: Pick<EventOf<'workspace.snapshotted'>, 'run' | 'turn' | 'tree' | 'gitTree' | 'uncovered' | 'at'>;
  tree: TreeId;
  gitTree: TreeId | undefined;
}
