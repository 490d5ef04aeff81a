import type { Engine } from '../loop/engine.ts';
import type { State } from '../state/state.ts';

/** Reports to the parent of a child session that it has ended a run or was closed. Repeated, it has one effect. */
export async function reportToParent({ store }: Pick<Engine, 'store'>, state: State): Promise<void> {
  const { session: opened, lastRun, closed } = state;
  // A fork is no child of the session that opened its original.
  if (!opened?.parent || opened.forked || (!lastRun && !closed)) return;
  const { session, parent } = opened;
  const id = `${session}-${closed ? 'closed' : lastRun!.run}`;
  await store.send(parent.session, { type: 'child', id, child: session });
}
