import { createState, fold, type State } from '@klaus/core/agent';
import { KlausError, toText, type Event, type EventOf, type HunkAnswer, type Part } from '@klaus/core/protocol';

/** One answer of the model. */
export interface RecordedAnswer {
  /** Messages of the model in its request. */
  turn: number;
  text: string;
  calls: { id: string; name: string; input: unknown }[];
  stop: string;
}

/** One prompt with its run. */
export interface RecordedRun {
  /** Undefined: it was resumed by `klaus resume`. */
  prompt?: string;
  onAsk: 'deny' | 'wait';
  /** The user's answers to the questions, in order. */
  answers: { answer: 'approved' | 'rejected'; note?: string; hunks?: HunkAnswer; scope?: string }[];
  outcome: EventOf<'run.finished'>['outcome'];
}

/** The part of a session that a test needs. */
export interface RecordedSession {
  opened: EventOf<'session.opened'>;
  answers: RecordedAnswer[];
  runs: RecordedRun[];
  /** All finished calls, in the order of the calls. */
  calls: { name: string; outcome: string }[];
  title: string;
  summary: string;
  /** The last text of the model. */
  lastText: string;
  /** States of the workspace before the first and after the last effect. */
  before?: string;
  after?: string;
  usesGit: boolean;
}

/** @throws KlausError `usage` with the reason for a session that no script can replay. */
export function readSession(events: readonly Event[]): RecordedSession {
  const opened = events[0];
  if (opened?.type !== 'session.opened') throw refuse('its log does not begin with session.opened');
  if (opened.forked) throw refuse('it is a fork, whose beginning was another session: export that one');
  const state = createState();
  const session: RecordedSession = {
    opened,
    answers: [],
    runs: [],
    calls: [],
    title: '',
    summary: '',
    lastText: '',
    usesGit: opened.checkpoint === 'auto',
  };
  const finished: EventOf<'tool.finished'>[] = [];
  for (const event of events) {
    take(session, state, event);
    if (event.type === 'tool.finished') finished.push(event);
    fold(state, event);
  }
  if (state.run) throw refuse('its last run has not ended');
  if (session.runs.length === 0) throw refuse('it has no run');
  session.calls = finished
    .toSorted((a, b) => a.turn - b.turn || a.index - b.index)
    .map(({ name, outcome }) => ({ name, outcome }));
  const turns = session.answers.map(({ turn }) => turn);
  if (new Set(turns).size < turns.length) throw refuse('two of its requests look alike to a script');
  return session;
}

function take(session: RecordedSession, state: State, event: Event): void {
  const run = session.runs.at(-1);
  switch (event.type) {
    case 'run.started':
      if (event.trigger === 'shell') throw refuse('the user ran a command in it');
      session.runs.push({ onAsk: event.onAsk, answers: [], outcome: 'done' });
      return;
    case 'run.finished':
      if (UNPLAYABLE.has(event.outcome))
        throw refuse(`a run ended with ${event.outcome}, which no script brings about`);
      if (run) run.outcome = event.outcome;
      return;
    case 'message.added':
      return takeMessage(session, state, event);
    case 'turn.finished': {
      if (event.stopReason === 'cancelled') throw refuse('a request was cut off in it');
      if (event.empty) session.answers.push({ turn: countAnswers(state), text: '', calls: [], stop: event.stopReason });
      const last = session.answers.at(-1);
      if (last) last.stop = event.stopReason;
      return;
    }
    case 'approval.answered':
      return takeAnswer(run, event);
    case 'session.changed':
      if (event.summary === undefined && CHANGED.some((field) => event[field] !== undefined)) {
        throw refuse('its model, mode, effort or limits were changed on the way');
      }
      session.title = event.title ?? session.title;
      session.summary = event.summary ?? session.summary;
      return;
    case 'workspace.snapshotted':
      session.before ??= event.tree;
      session.after = event.tree;
      return;
    case 'tool.finished':
      if (event.outcome === 'unknown') throw refuse('a call in it was cut off by a crash');
      session.usesGit ||= event.name.startsWith('git_');
      return;
    case 'context.compacted':
      throw refuse('its history was compacted');
    case 'workspace.restored':
      if (event.kind !== 'review') throw refuse('files were put back in it (undo, redo or restore)');
      return;
    case 'grant.changed':
      throw refuse('its grant was changed on the way');
    default:
      return;
  }
}

/** Changes that a script cannot repeat. */
const CHANGED = ['model', 'fallback', 'mode', 'effort', 'limits'] as const;
const UNPLAYABLE: ReadonlySet<string> = new Set(['cancelled', 'limit', 'model_failed']);

function takeMessage(session: RecordedSession, state: State, { message }: EventOf<'message.added'>): void {
  if (message.origin === 'steer') throw refuse('it was spoken into while it ran');
  const run = session.runs.at(-1);
  if (message.origin === 'user' && run) {
    if (message.parts.some((part) => part.type === 'image')) throw refuse('a prompt has an image');
    run.prompt = message.parts.map(toPrompt).join('\n');
  }
  if (message.origin !== 'model') return;
  const text = toText(message);
  session.lastText = text;
  const calls = message.parts
    .filter((part) => part.type === 'call')
    .map(({ id, name, input }) => ({ id, name, input }));
  session.answers.push({ turn: countAnswers(state), text, calls, stop: 'end_turn' });
}

function toPrompt(part: Part): string {
  if (part.type === 'text') return part.text;
  return part.type === 'file' ? (part.text ?? '') : '';
}

function countAnswers({ messages }: State): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}

function takeAnswer(run: RecordedRun | undefined, event: EventOf<'approval.answered'>): void {
  const { answer, note, hunks, scope, plan } = event;
  if (plan !== undefined) throw refuse('the user edited a plan in it');
  if (answer !== 'approved' && answer !== 'rejected') throw refuse(`a question in it was ${answer}`);
  if (hunks?.edited) throw refuse('a human edited a change in it');
  run?.answers.push({ answer, ...(note ? { note } : {}), hunks, scope });
}

function refuse(why: string): KlausError {
  return new KlausError('usage', `This session cannot be a test: ${why}.`, {
    hint: 'klaus replay runs it again unchanged; klaus export --format json prints the complete log.',
  });
}
