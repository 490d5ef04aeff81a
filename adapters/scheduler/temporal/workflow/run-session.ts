import * as workflow from '@temporalio/workflow';
import {
  type Advance,
  AT,
  type AttemptResult,
  type Carried,
  HEARTBEAT_TIMEOUT_MS,
  type Plan,
  PLAN,
  WAKE,
} from './contract.ts';

/** Milliseconds until the next attempt for a session that another process holds. */
const HELD_MS = 1_000;

// The engine retries an attempt whose worker died, at intervals that grow: a session that kills its workers slows down.
const { advance } = workflow.proxyActivities<{ advance: Advance }>({
  startToCloseTimeout: '30 days',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  cancellationType: workflow.ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: 100, backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/**
 * One session: it runs until nothing is left to do, then waits for a signal or the earliest timer. It ends when the session
 * is idle, so that an idle session costs nothing; the next signal begins it again.
 *
 * A change of the order of its commands breaks the sessions that run. Put the new order behind `workflow.patched(NAME)`,
 * keep the old one as long as a workflow that began before may be open, and add a history of the new version to
 * `fixtures/`: a test replays all of them.
 */
export async function runSession(session: string, carried: Partial<Carried> = {}): Promise<void> {
  let { last = 0, until = Infinity, woken = false } = carried;
  let plan: Plan = { state: 'waiting', since: Date.now() };
  workflow.setHandler(workflow.defineSignal(WAKE), () => void (woken = true));
  workflow.setHandler(workflow.defineSignal<[number]>(AT), (time) => void (until = Math.min(until, time)));
  workflow.setHandler(workflow.defineQuery<Plan>(PLAN), () => ({ ...plan, ...(until < Infinity && { until }) }));
  for (;;) {
    while (!woken && Date.now() < until) {
      const timer = until;
      const isEarlier = (): boolean => woken || until < timer;
      await (timer < Infinity ? workflow.condition(isEarlier, timer - Date.now()) : workflow.condition(isEarlier));
    }
    // The run returns until when the session waits now.
    until = Infinity;
    woken = false;
    // Larger than the token of each retry: those are at least 100 ms apart, and count by one.
    last = Math.max(Date.now(), last + 1);
    plan = { state: 'running', since: Date.now() };
    const result: AttemptResult = await advance(session, last);
    plan = { state: 'waiting', since: Date.now() };
    if (result.state === 'paused') woken = true;
    if (result.state === 'held') until = Math.min(until, Date.now() + HELD_MS);
    if (result.state === 'waiting') until = Math.min(until, result.until ?? Infinity);
    if (result.state !== 'waiting' && !woken && until === Infinity) return;
    if (workflow.workflowInfo().continueAsNewSuggested)
      await workflow.continueAsNew<typeof runSession>(session, { last, woken, ...(until < Infinity && { until }) });
  }
}
