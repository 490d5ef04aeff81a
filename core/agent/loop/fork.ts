import { intersect } from '../../policy/index.ts';
import {
  KlausError,
  modeSchema,
  NO_USAGE,
  type Event,
  type EventBody,
  type EventOf,
  type Message,
} from '../../protocol/index.ts';
import { loadState, readLog } from '../state/load-state.ts';
import type { Engine } from './engine.ts';
import { fold } from '../state/fold.ts';
import type { Draft } from '../ports/store.ts';
import { answerOpenCalls, toRunFinished } from './closing-events.ts';
import { createState, openedOf, type State } from '../state/state.ts';
import { readTurnHistory } from '../workspace/turn-history.ts';

export interface ForkOptions {
  /** Seq of the last event that is taken over. Default: the last there is. */
  at?: number;
  /** Full name of the model that the fork goes on with. Default: that of the moment. */
  model?: string;
  /** Default: the original's, with where it was left. */
  title?: string;
  /** Version of Klaus. */
  klaus: string;
  /** Who asks, for the log. */
  by: string;
  /** Hash of the original's last record. */
  head: string;
}

export interface Forked {
  session: string;
  /** Seq of the last event that was taken over. */
  at: number;
  /** What was open there, and how it was settled; empty when nothing was. */
  settled: string[];
  /** The state of the workspace that is nearest to that moment; undefined when none was ever kept. */
  state?: { turn: number; side: 'before' | 'after' };
}

/**
 * Makes a session that begins as a copy of another one's log. The original is only read. What was open at that
 * moment ends: nothing of it goes on in two sessions. The fork has its own budget, and no more authority than the
 * original has today: a grant that was narrowed since stays narrowed, and no approval is taken over.
 *
 * @throws KlausError `usage` for a seq that the session does not have, or one at which it is closed.
 */
export async function fork(engine: Engine, source: string, options: ForkOptions): Promise<Forked> {
  const events = await readLog(engine.store, source);
  const last = events.length;
  const at = options.at ?? last;
  if (!Number.isInteger(at) || at < 1 || at > last) {
    throw new KlausError('usage', `Session ${source} has no event ${at}.`, {
      hint: `Choose one from 1 to ${last}: klaus show ${source} --json prints them.`,
    });
  }
  const taken = events.slice(0, at);
  const closed = taken.find(({ type }) => type === 'session.closed');
  if (closed) {
    throw new KlausError('usage', `At event ${at} session ${source} is closed.`, {
      hint: `Choose one before ${closed.seq}.`,
    });
  }
  const session = engine.ids.ulid();
  const state = createState();
  for (const event of taken) fold(state, event);
  const opened = openedOf(state);
  const settling = settle(engine, state, { now: await loadState(engine, source), ...options });
  const forked: EventOf<'session.opened'>['forked'] = {
    session: source,
    seq: at,
    head: events[at]?.prev ?? options.head,
    root: opened.forked?.root ?? source,
    settled: settling.length,
  };
  const names = renameApprovals(engine, taken);
  const copies: Draft[] = taken.map((event) => toCopy(event, { forked, klaus: options.klaus, names }));
  const now = engine.clock.now();
  const drafts = [...copies, ...settling.map((body) => ({ ...rename(body, names), at: now }))];
  const lease = await engine.store.claim(session);
  if (!lease) throw new KlausError('store.busy', `The new session ${session} is already held.`);
  try {
    await engine.store.append(session, drafts, { lease });
  } finally {
    await lease.release();
  }
  const nearest = findState(events, at);
  return { session, at, settled: describe(settling), ...(nearest ? { state: nearest } : {}) };
}

/** What ends at the moment of the fork, and what it begins with. */
function settle(
  engine: Engine,
  state: State,
  { now, model, title, at, by }: ForkOptions & { now: State },
): EventBody[] {
  const bodies: EventBody[] = [];
  if (state.run) {
    const why = 'the session was forked here';
    const { run } = state;
    // What the open request cost is the original's to count.
    if (state.openTurn) {
      bodies.push({ type: 'turn.finished', run: run.id, turn: state.openTurn.turn, stopReason: 'cancelled' });
    }
    bodies.push(...answerOpenCalls(state, why));
    if (state.openSnapshot) {
      // What the turn did from here on is the original's: of the fork it is nothing that could be undone.
      bodies.push(toKept(state.openSnapshot));
    }
    const reason = 'The session was forked in the middle of this run.';
    // What its checks proved was proved of the original's files.
    const evidence = run.evidence.map((row) => ({ ...row, freshness: 'unknown' as const }));
    const finished = toRunFinished(state, { outcome: 'cancelled', reason, evidence, claim: 'none' }, bodies);
    bodies.push({ ...finished, usage: NO_USAGE, usd: 0 } as EventBody);
  } else if (state.openSnapshot) bodies.push(toKept(state.openSnapshot));
  const grant = intersect(state.grant, now.grant);
  if (JSON.stringify(grant) !== JSON.stringify(state.grant)) {
    bodies.push({ type: 'grant.changed', grant, reason: 'A fork has no more than its original has today.', by });
  }
  const mode = narrower(state.mode, now.mode);
  bodies.push({
    type: 'session.changed',
    title: title ?? `${state.title ?? 'Session'} (fork at ${at ?? now.seq})`,
    ...(model === undefined || model === state.model ? {} : { model }),
    ...(mode === state.mode ? {} : { mode }),
  });
  const text =
    'This conversation was forked from another one at this point. The files of the workspace are those of now, which ' +
    'may differ from what is said above: read them again before you rely on them.';
  const message: Message = { id: engine.ids.ulid(), role: 'user', origin: 'engine', parts: [{ type: 'text', text }] };
  const run = state.run?.id ?? state.lastRun?.run;
  if (run !== undefined) bodies.push({ type: 'message.added', run, turn: state.turn, message });
  return bodies;
}

function toKept({ run, turn, tree }: EventOf<'workspace.snapshotted'>): EventBody {
  return { type: 'workspace.snapshotted', run, turn, moment: 'after', tree };
}

function narrower(a: State['mode'], b: State['mode']): State['mode'] {
  const order = modeSchema.options;
  return order.indexOf(a) < order.indexOf(b) ? a : b;
}

/** A question has one id in one session. */
function renameApprovals(engine: Engine, taken: readonly Event[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const event of taken) if (event.type === 'approval.asked') names.set(event.approval, engine.ids.ulid());
  return names;
}

function rename<T extends EventBody>(body: T, names: ReadonlyMap<string, string>): T {
  if (body.type !== 'approval.asked' && body.type !== 'approval.answered') return body;
  return { ...body, approval: names.get(body.approval) ?? body.approval };
}

function toCopy(
  event: Event,
  { forked, klaus, names }: { forked: EventOf<'session.opened'>['forked']; klaus: string; names: Map<string, string> },
): Draft {
  const { v: _v, seq: _seq, prev: _prev, session: _session, ...draft } = event;
  if (draft.type === 'session.opened') return { ...draft, klaus, forked } as Draft;
  return rename(draft as Draft, names);
}

function findState(events: readonly Event[], at: number): Forked['state'] {
  let found: Forked['state'];
  for (const event of events) {
    if (event.type !== 'workspace.snapshotted') continue;
    if (event.seq > at) return found ?? { turn: event.turn, side: 'before' };
    found = { turn: event.turn, side: event.moment };
  }
  return found && readTurnHistory(events).turns.length > 0 ? found : undefined;
}

function describe(bodies: readonly EventBody[]): string[] {
  return bodies.flatMap((body) => {
    if (body.type === 'tool.finished') return [`${body.name}: ${body.output}`];
    if (body.type === 'approval.answered') return ['An open question was dropped.'];
    if (body.type === 'turn.finished') return ['A request to the model was under way.'];
    if (body.type === 'run.finished') return [body.reason];
    if (body.type === 'grant.changed') return [body.reason];
    return [];
  });
}
