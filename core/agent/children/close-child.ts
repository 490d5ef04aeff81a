import type { EventBody } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import { isReceivable } from '../loop/receivable.ts';
import { loadState } from '../state/load-state.ts';
import { openChildrenOf, type ChildState, type State } from '../state/state.ts';
import { readChild, toClosed } from './child-report.ts';

const REASON = 'The agent that gave it its task needs it no more.';

/**
 * Closes a child session. One that works is asked to end; its closing is reported later.
 *
 * @returns The event that books the closing, if it is closed now.
 */
export async function closeChild(work: Work, child: ChildState): Promise<EventBody[]> {
  const { engine } = work;
  if (!(await isClosed(work, child.id))) {
    await engine.store.send(child.id, { type: 'close', id: `${child.id}-close`, reason: REASON });
    work.wakeChild(child.id);
    return [];
  }
  return [toClosed(await readChild(engine, child))];
}

/** Closes the child session that a call recorded before it was interrupted, because the call is refused now. */
export async function closeChildOf(work: Work, call: string): Promise<EventBody[]> {
  const child = openChildrenOf(work.state).find((each) => each.call === call);
  return child ? await closeChild(work, child) : [];
}

/** Closes every child session of the run. */
export async function closeChildren(work: Work): Promise<EventBody[]> {
  const bodies: EventBody[] = [];
  for (const child of openChildrenOf(work.state)) bodies.push(...(await closeChild(work, child)));
  return bodies;
}

/** True if the session is closed, or does not exist; closes one that is idle. */
async function isClosed({ engine }: Work, id: string): Promise<boolean> {
  const lease = await engine.store.claim(id);
  if (!lease) return false;
  try {
    const state = await loadState(engine, id);
    // Interrupted between its record and its opening: it can never begin, because only its parent opens it.
    if (!state.session || state.closed) return true;
    if (!(await isIdle(engine, state, id))) return false;
    await engine.store.append(id, [{ type: 'session.closed', reason: REASON, at: engine.clock.now() }], { lease });
    return true;
  } finally {
    await lease.release();
  }
}

async function isIdle(engine: Work['engine'], state: State, id: string): Promise<boolean> {
  if (state.run || openChildrenOf(state).length > 0) return false;
  return !(await engine.store.inbox(id)).some((command) => isReceivable(state, command));
}
