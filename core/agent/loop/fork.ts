import { intersect } from '../../policy/index.ts';
import {
  KlausError,
  NO_USAGE,
  toNarrowerMode,
  type Event,
  type EventBody,
  type EventOf,
} from '../../protocol/index.ts';
import { readChild } from '../children/child-report.ts';
import { loadState, readLog } from '../state/load-state.ts';
import { toEngineMessage } from '../context/engine-message.ts';
import type { Engine } from './engine.ts';
import { fold } from '../state/fold.ts';
import type { Draft } from '../ports/store.ts';
import { answerOpenCalls, toRunFinished } from './closing-events.ts';
import { createState, openedOf, runIdOf, type State } from '../state/state.ts';
import { readTurnHistory } from '../workspace/turn-history.ts';

export interface ForkOptions {
  /** Seq of the last event that is copied. Default: the last one. */
  at?: number;
  /** Instead of `at`: id of a message of the user. Everything before it, or before the run that it started, is copied. */
  before?: string;
  /** Full name of the fork's model. Default: the model at that event. */
  model?: string;
  /** Default: the title of the original with the event. */
  title?: string;
  /** Version of Klaus. */
  klaus: string;
  /** Who requested it, for the log. */
  by: string;
  /** Hash of the original's last record. */
  head: string;
}

export interface Forked {
  session: string;
  /** Seq of the last copied event. */
  at: number;
  /** How open calls, questions and runs were closed; empty if there were none. */
  settled: string[];
  /** The snapshot nearest to that event; undefined if there is none. */
  state?: { turn: number; side: 'before' | 'after' };
}

/** Seq of the last event before a message, or before the run that a message of the user started. */
function toSeqBefore(events: readonly Event[], message: string): number {
  let run = 0;
  for (const event of events) {
    if (event.type === 'run.started') run = event.seq;
    if (event.type !== 'message.added' || event.message.id !== message) continue;
    return event.message.origin === 'user' ? run - 1 : event.seq - 1;
  }
  throw new KlausError('usage', `There is no message ${message} in this session.`);
}

/**
 * Creates a session that starts with a copy of another session's log. The original is only read. Open calls, questions
 * and runs are closed in the fork. The fork has its own budget, and at most the present authority of the original: a
 * narrowed grant remains narrowed, and approvals are not copied.
 *
 * @throws KlausError `usage` for a seq or a message that the session does not have, or one at which it is closed.
 */
export async function fork(engine: Engine, source: string, options: ForkOptions): Promise<Forked> {
  const events = await readLog(engine.store, source);
  const last = events.length;
  const at = options.before === undefined ? (options.at ?? last) : toSeqBefore(events, options.before);
  if (!Number.isInteger(at) || at < 1 || at > last) {
    throw new KlausError('usage', `Session ${source} has no event ${at}.`, {
      hint: `Choose one from 1 to ${last}: \`klaus show ${source} --json\` prints them.`,
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
  const answers = closeFork(engine, state, { now: await loadState(engine, source), ...options });
  const closing = await withChildSources(engine, state, answers);
  const forked: EventOf<'session.opened'>['forked'] = {
    session: source,
    seq: at,
    head: events[at]?.prev ?? options.head,
    root: opened.forked?.root ?? source,
    settled: closing.length,
  };
  const names = renameApprovals(engine, taken);
  const copies: Draft[] = taken.map((event) => toCopy(event, { forked, klaus: options.klaus, names }));
  const now = engine.clock.now();
  const drafts = [...copies, ...closing.map((body) => ({ ...rename(body, names), at: now }))];
  const lease = await engine.store.claim(session);
  if (!lease) throw new KlausError('store.busy', `The new session ${session} is already held.`);
  try {
    await engine.store.append(session, drafts, { lease });
  } finally {
    await lease.release();
  }
  const nearest = findState(events, at);
  return { session, at, settled: describe(closing), state: nearest };
}

/** The events that close the copied log and start the fork. */
function closeFork(
  engine: Engine,
  state: State,
  { now, model, title, at, by }: ForkOptions & { now: State },
): EventBody[] {
  const bodies: EventBody[] = [];
  const { run, openTurn, openSnapshot } = state;
  const opened = openedOf(state);
  // The original session is charged for the open request.
  if (run && openTurn) {
    bodies.push({ type: 'turn.finished', run: run.id, turn: openTurn.turn, stopReason: 'cancelled' });
  }
  if (run) bodies.push(...answerOpenCalls(state, 'the session was forked here'));
  // Later effects of the turn belong to the original and cannot be undone in the fork.
  if (openSnapshot) {
    const { run: id, turn, tree } = openSnapshot;
    bodies.push({ type: 'workspace.snapshotted', run: id, turn, moment: 'after', tree });
  }
  if (run) {
    const reason = 'The session was forked in the middle of this run.';
    // The checks ran on the files of the original.
    const evidence = run.evidence.map((row) => ({ ...row, freshness: 'unknown' as const }));
    const finished = toRunFinished(state, { outcome: 'cancelled', reason, evidence, claim: 'none' }, bodies);
    bodies.push({ ...finished, usage: NO_USAGE, usd: 0 } as EventBody);
  }
  const grant = intersect(state.grant, now.grant);
  // The fork of a child names what is left of its authority also if that is recorded in the copied events.
  if (opened.parent || JSON.stringify(grant) !== JSON.stringify(state.grant)) {
    bodies.push({ type: 'grant.changed', grant, reason: 'A fork has at most the present grant of its original.', by });
  }
  const mode = toNarrowerMode(state.mode, now.mode);
  bodies.push({
    type: 'session.changed',
    title: title ?? `${state.title ?? 'Session'} (fork at ${at ?? now.seq})`,
    ...(model === undefined || model === state.model ? {} : { model }),
    ...(mode === state.mode ? {} : { mode }),
  });
  const text =
    'This conversation was forked from another one at this point. The workspace contains its present files, which ' +
    'may differ from the messages above: read them again before you rely on them.';
  const last = runIdOf(state);
  if (last !== '') bodies.push(toEngineMessage(engine.ids, { run: last, turn: state.turn }, text));
  return bodies;
}

/** An agent for which an open call waits can have read a text of others, and written it to files. */
async function withChildSources(engine: Engine, state: State, bodies: EventBody[]): Promise<EventBody[]> {
  const add = async (body: EventBody): Promise<EventBody> => {
    if (body.type !== 'tool.finished' || body.untrusted) return body;
    const awaits = state.calls.find(({ id }) => id === body.call)?.awaits?.children;
    for (const child of state.children.values()) {
      if (child.call !== body.call && !awaits?.has(child.id)) continue;
      const { untrusted } = await readChild(engine, child);
      if (untrusted) return { ...body, untrusted };
    }
    return body;
  };
  return Promise.all(bodies.map(add));
}

/** New ids for copied approvals: an id belongs to one session. */
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
    if (body.type === 'approval.answered') return ['An open approval was closed.'];
    if (body.type === 'turn.finished') return ['A request to the model was in flight.'];
    if (body.type === 'run.finished') return [body.reason];
    if (body.type === 'grant.changed') return [body.reason];
    return [];
  });
}
