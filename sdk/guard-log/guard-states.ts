import type { StoreView } from '@klaus/core/agent';
import type { HostEvent, HostEventOf } from '@klaus/core/protocol';
import type { Klaus } from '../klaus.ts';

type Changed = HostEventOf<'guard.changed'>;

/** The state of one installation of the guard of Claude Code, or a session that ran without the guard. */
export interface GuardState extends Pick<Changed, 'of' | 'workspace' | 'place' | 'reason' | 'hook'> {
  state: 'on' | 'off' | 'missed';
  /** Unix milliseconds. */
  since: number;
  /** Seq of the event that reported it. */
  seq: number;
  /** True if the user has seen the report that it is off. */
  isDismissed: boolean;
}

/** Something about the guard that the user has not seen yet. */
export interface GuardAlert extends Pick<GuardState, 'of' | 'workspace' | 'reason'> {
  /** For `claimNotification`. */
  id: string;
  kind: 'guard-off' | 'guard-missed';
  /** ISO 8601. */
  since: string;
}

/** Folds `guard.changed` events, in order. Removed installations and dismissed sessions are left out. */
export function foldGuardStates(events: Iterable<HostEvent>): GuardState[] {
  const states = new Map<string, GuardState>();
  const removed = new Set<string>();
  for (const event of events) {
    if (event.type !== 'guard.changed') continue;
    const { of, workspace, state, reason, at: since, seq } = event;
    const before = states.get(of);
    if (state === 'removed') removed.add(of);
    if (state === 'dismissed' && before?.state === 'off') states.set(of, { ...before, isDismissed: true });
    else if (state === 'removed' || state === 'dismissed') states.delete(of);
    // A check that began before the installation was removed reports what it saw after that.
    else if (state === 'off' && removed.has(of)) continue;
    else {
      removed.delete(of);
      const hook = event.hook ?? before?.hook;
      const place = event.place ?? before?.place;
      states.set(of, { of, workspace, place, hook, state, reason, since, seq, isDismissed: false });
    }
  }
  return [...states.values()];
}

/** The present states. */
export function readGuardStates(view: Pick<StoreView, 'guardChanges'>): GuardState[] {
  return foldGuardStates(view.guardChanges());
}

/** The oldest first. */
export function toGuardAlerts(states: readonly GuardState[]): GuardAlert[] {
  return states
    .filter(({ state, isDismissed }) => state !== 'on' && !isDismissed)
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ of, workspace, reason, state, since, seq }) => ({
      id: `guard:${seq}`,
      kind: state === 'off' ? 'guard-off' : 'guard-missed',
      of,
      workspace,
      reason,
      since: new Date(since).toISOString(),
    }));
}

/** Records that the user has seen a report. False if there was none. */
export async function dismissGuardState(
  { store, recordGuard }: Pick<Klaus, 'store' | 'recordGuard'>,
  of: string,
): Promise<boolean> {
  const found = readGuardStates(store.view).find(
    (state) => state.of === of && state.state !== 'on' && !state.isDismissed,
  );
  if (!found) return false;
  const { workspace } = found;
  await recordGuard({ type: 'guard.changed', workspace, of, state: 'dismissed', reason: 'the user has seen it' });
  return true;
}
