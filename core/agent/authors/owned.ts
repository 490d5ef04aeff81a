import type { EventOf, TreeId } from '../../protocol/index.ts';

/** What a session alone changed in a turn. Empty: everything. */
export type OwnState = Pick<EventOf<'workspace.snapshotted'>, 'own' | 'gitOwn' | 'unclear' | 'others'>;

/** A state of the workspace, and that of git's own data. */
interface States {
  tree: TreeId;
  gitTree: TreeId | undefined;
}

export interface OwnStateInput {
  /** The state before the first effect. */
  opened: EventOf<'workspace.snapshotted'>;
  /** The states after the last one. */
  found: States;
  /** The same after Klaus has repaired what commands must not change. */
  guarded: States;
}
