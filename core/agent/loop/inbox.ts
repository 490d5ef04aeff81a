import {
  describeUsed,
  optional,
  isKlausError,
  LIMIT_NAMES,
  NO_LIMITS,
  NO_USAGE,
  type Command,
  type EventBody,
  type LimitName,
  type Limits,
  type Message,
} from '../../protocol/index.ts';
import { closeSession } from '../children/close-session.ts';
import { answerQuestion } from './answer-question.ts';
import { endRun } from './finish.ts';
import { changeScope } from '../calls/approval-scope.ts';
import { toGrantChange } from '../calls/grant-change.ts';
import { snapshotAtEnd } from '../workspace/snapshot-at-end.ts';
import { usedOf } from '../budget/limit-check.ts';
import { toEngineMessage } from '../context/engine-message.ts';
import { findPinProblem, isInHistory, pinPrompt } from '../context/pins.ts';
import { announcePlanMode } from '../context/plan-mode.ts';
import { toUserCommand, type UserCommand } from '../context/user-command.ts';
import { recallKnowledge } from '../context/recall-knowledge.ts';
import { carriesText } from '../redaction/redact-command.ts';
import { openedOf, type State } from '../state/state.ts';
import { isReceivable } from './receivable.ts';
import type { Work } from './work.ts';

/** A prompt up to this length becomes the title. */
const MAX_TITLE = 60;

/**
 * Turns the commands of the inbox into events. Each command is consumed in the transaction of its events. A command that
 * cannot be applied yet remains in the inbox.
 *
 * @param options.mayBegin False: a prompt that would start a run remains in the inbox.
 */
export async function drainInbox(work: Work, { mayBegin }: { mayBegin: boolean }): Promise<void> {
  await expireApprovals(work);
  const waiting = await work.engine.store.inbox(work.session);
  const withdrawn = withdrawnFrom(waiting);
  for (const command of waiting) {
    // A withdrawn prompt is consumed together with its withdrawal, so that it cannot be sent as well.
    if (withdrawn.has(command.id)) continue;
    if (command.type === 'withdraw') {
      const isWaiting = waiting.some(({ id }) => id === command.command && withdrawn.get(id) === command.id);
      await work.append([], isWaiting ? [command.id, command.command] : [command.id]);
      continue;
    }
    if (BEGINNING.has(command.type) && !work.state.run && !mayBegin) continue;
    if (command.type === 'close') {
      await closeSession(work, command);
      continue;
    }
    const bodies = await receive(work, command);
    if (bodies) await work.append(bodies, [command.id]);
  }
}

/** Commands that start a run. */
const BEGINNING: ReadonlySet<Command['type']> = new Set(['prompt', 'compact', 'shell', 'call']);

/** The withdrawn prompts and commands of the user of an inbox, each with the first command that withdraws it. */
function withdrawnFrom(waiting: readonly Command[]): Map<string, string> {
  const prompts = new Set(
    waiting.flatMap(({ type, id }) => (type === 'prompt' || type === 'shell' || type === 'call' ? [id] : [])),
  );
  const withdrawn = new Map<string, string>();
  for (const command of waiting.toReversed())
    if (command.type === 'withdraw' && prompts.has(command.command)) withdrawn.set(command.command, command.id);
  return withdrawn;
}

/** The events of a command; undefined if it cannot be applied yet. */
export async function receive(work: Work, command: Command): Promise<EventBody[] | undefined> {
  const { state } = work;
  if (!isReceivable(state, command)) return undefined;
  // The text of the user is searched for the present values of the secret files.
  if (carriesText(command)) await learnSecretsOf(work, command);
  switch (command.type) {
    case 'prompt':
      return state.run ? await toSteer(work, command) : await beginRun(work, command);
    case 'resume':
      // A run that ended before its first turn, by a limit or a cancel, can be resumed too.
      return state.run || !state.lastRun ? [] : resumeRun(work, command);
    case 'withdraw':
    case 'close':
      return [];
    case 'child':
      return work.activities.readChildEnd(work, command.child);
    case 'cancel':
      return endCancelled(work, command);
    case 'approve':
      return answerQuestion(work, command);
    case 'compact':
      return requestCompaction(work, command);
    case 'shell':
    case 'call':
      return beginUserCall(work, command);
    case 'limits':
      return changeLimits(state, command.limits);
    case 'revoke':
      return toGrantChange(state, command);
    case 'scope':
      return changeScope(state, command);
    case 'pin':
      return [await toPin(work, command)];
    case 'unpin':
      return state.pins.some(({ id }) => id === command.pin)
        ? [{ type: 'context.unpinned', pin: command.pin, by: command.by }]
        : [];
    case 'change':
      return change(state, command);
  }
}

/** A missing workspace does not prevent a change of the title or a cancel. */
async function learnSecretsOf(work: Work, { type }: Command): Promise<void> {
  try {
    await work.workspace();
  } catch (error) {
    if (type === 'prompt' || !isKlausError(error)) throw error;
    return;
  }
  // Earlier versions are read while the model answers.
  await work.learnSecrets({ history: false });
}

/** A cancel that names a run does not stop another one. */
async function endCancelled(work: Work, command: Extract<Command, { type: 'cancel' }>): Promise<EventBody[]> {
  const { run } = work.state;
  if (!run || (command.run !== undefined && command.run !== run.id)) return [];
  await snapshotAtEnd(work);
  const reason = command.reason ?? 'The user stopped the run.';
  return endRun(work, { outcome: command.outcome ?? 'cancelled', reason, by: command.by });
}

async function beginRun(work: Work, command: Extract<Command, { type: 'prompt' }>): Promise<EventBody[]> {
  const { state, engine } = work;
  const run = engine.ids.ulid();
  const message: Message = { id: engine.ids.ulid(), role: 'user', origin: 'user', parts: command.parts };
  const started: EventBody = { type: 'run.started', run, trigger: 'prompt', ...toRunOptions(command) };
  const submitted = await work.activities.submitPrompt(work, { run, message });
  if ('refused' in submitted) return [started, submitted.notice, toRefusedRun(run, submitted.refused)];
  const bodies: EventBody[] = [started];
  if (state.title === undefined) {
    const title = toShortTitle(message);
    if (title !== undefined) bodies.push({ type: 'session.changed', title });
  }
  // The run's id is passed because the state does not contain the run yet.
  for (const body of await work.activities.loadInstructions(work, 'root', run)) bodies.push(body);
  bodies.push(...(await recallKnowledge(work, run)), ...submitted.bodies, ...announcePlanMode(work, run));
  bodies.push({ type: 'message.added', run, turn: state.turn, message, ...toMarks(command) });
  if (command.pin) bodies.push(await toPromptPin(work, command, message));
  return bodies;
}

/** The end of a run whose prompt a hook refused, so that it is not in the history. */
function toRefusedRun(run: string, reason: string): EventBody {
  const nothing = { usage: NO_USAGE, usd: 0, turns: 0, toolCalls: 0, evidence: [] };
  return { type: 'run.finished', run, outcome: 'denied', reason: `The prompt was refused. ${reason}`, ...nothing };
}

async function toPin(work: Work, command: Extract<Command, { type: 'pin' }>): Promise<EventBody> {
  const { state } = work;
  const { id: pin, text, source, by } = command;
  const problem = findPinProblem(state, text, await contextWindowOf(work));
  if (problem !== undefined) return { type: 'notice', level: 'warn', text: `Not pinned. ${problem}` };
  const known = isInHistory(state, work.redactor.redact(text)) ? { known: true as const } : {};
  return { type: 'context.pinned', pin, turn: state.turn, text, source, ...known, by };
}

async function toPromptPin(
  work: Work,
  { id }: Extract<Command, { type: 'prompt' }>,
  message: Message,
): Promise<EventBody> {
  return pinPrompt(work.state, message, { id, contextWindow: await contextWindowOf(work) });
}

/** Infinity if the model cannot be resolved, which an idle session does not need; the sender has checked the size. */
async function contextWindowOf(work: Work): Promise<number> {
  try {
    return (await work.model()).info.contextWindow;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** What the message of a prompt says about its text. */
function toMarks({ tainted, untrusted }: Extract<Command, { type: 'prompt' }>) {
  return { tainted, untrusted };
}

function toRunOptions({ onAsk, waitForModelMs }: Extract<Command, { type: 'prompt' | 'resume' }>) {
  return { onAsk, waitForModelMs };
}

function toShortTitle(message: Message): string | undefined {
  const text = message.parts.flatMap((part) => (part.type === 'text' ? [part.text.trim()] : [])).join(' ');
  return text !== '' && text.length <= MAX_TITLE && !text.includes('\n') ? text : undefined;
}

async function toSteer(work: Work, command: Extract<Command, { type: 'prompt' }>): Promise<EventBody[]> {
  const { state, engine } = work;
  const message: Message = { id: engine.ids.ulid(), role: 'user', origin: 'steer', parts: command.parts };
  const run = state.run!.id;
  const submitted = await work.activities.submitPrompt(work, { run, message });
  if ('refused' in submitted) return [submitted.notice];
  const head = { run, turn: state.turn };
  const added: EventBody = { type: 'message.added', ...head, message, ...toMarks(command) };
  return command.pin ? [added, await toPromptPin(work, command, message)] : [added];
}

function resumeRun(work: Work, command: Extract<Command, { type: 'resume' }>): EventBody[] {
  const { state, engine } = work;
  const run = engine.ids.ulid();
  const bodies: EventBody[] = [{ type: 'run.started', run, trigger: 'resume', ...toRunOptions(command) }];
  if (state.messages.at(-1)?.role === 'assistant') {
    bodies.push(toEngineMessage(engine.ids, { run, turn: state.turn }, 'Continue the task.'));
  }
  return bodies;
}

function requestCompaction(
  { state, engine }: Work,
  { by, onAsk = 'deny' }: Extract<Command, { type: 'compact' }>,
): EventBody[] {
  if (state.run?.isCompactionRequested) return [];
  if (state.run) return [{ type: 'compaction.requested', run: state.run.id, by }];
  if (!canBegin(state)) return [];
  const run = engine.ids.ulid();
  return [
    { type: 'run.started', run, trigger: 'compact', onAsk },
    { type: 'compaction.requested', run, by },
  ];
}

/** A call of the user: a run with one call, which no answer of the model contains. */
function beginUserCall({ state, engine }: Work, command: UserCommand): EventBody[] {
  if (!canBegin(state)) return [];
  const run = engine.ids.ulid();
  const { by, onAsk = 'deny' } = command;
  const message = toUserCommand(command, { id: engine.ids.ulid(), call: engine.ids.ulid() });
  return [
    { type: 'run.started', run, trigger: 'shell', by, onAsk },
    { type: 'message.added', run, turn: state.turn + 1, message },
  ];
}

/** False for a session in which no run for the user starts. The runs of a child session are reported to its parent. */
function canBegin(state: State): boolean {
  return !state.closed && openedOf(state).parent === undefined;
}

/** A child session has at most what its parent has reserved for it. A fork has a budget of its own. */
function toReserved(state: State, limits: Limits): Limits {
  const { parent, forked, limits: recorded } = openedOf(state);
  if (!parent || forked) return limits;
  const reserved = { ...NO_LIMITS, ...recorded };
  const toCap = (limit: LimitName): number => {
    if (reserved[limit] === 0) return limits[limit];
    return limits[limit] === 0 ? reserved[limit] : Math.min(limits[limit], reserved[limit]);
  };
  return Object.fromEntries(LIMIT_NAMES.map((limit) => [limit, toCap(limit)])) as unknown as Limits;
}

function change(
  state: State,
  { type: _, id: _id, onAsk, ...given }: Extract<Command, { type: 'change' }>,
): EventBody[] {
  const isOfRun = onAsk !== undefined && state.run !== undefined;
  if (!isOfRun && Object.keys(optional(given)).length === 0) return [];
  const changed: EventBody = { type: 'session.changed', ...given, ...(isOfRun ? { onAsk } : {}) };
  return isOfRun && onAsk === 'deny' ? [changed, ...denyQuestions(state)] : [changed];
}

function denyQuestions({ approvals }: State): EventBody[] {
  const note = 'No user answers the questions of this run.';
  return [...approvals.values()].map(({ run, approval }) => {
    return { type: 'approval.answered', run, approval, answer: 'rejected', by: 'klaus', note };
  });
}

/** New caps close questions about limits that are no longer reached. */
function changeLimits(state: State, given: Partial<Limits>): EventBody[] {
  const limits = toReserved(state, { ...state.limits, ...optional(given) });
  const bodies: EventBody[] = [{ type: 'session.changed', limits }];
  const used = usedOf(state);
  for (const { run, approval, subject } of state.approvals.values()) {
    if (subject.kind !== 'limit') continue;
    const { limit } = subject;
    const cap = limits[limit];
    if (cap !== 0 && cap <= used[limit]) continue;
    const note = describeUsed({ limit, used: used[limit], cap });
    bodies.push({ type: 'approval.answered', run, approval, answer: 'superseded', by: 'klaus', note });
  }
  return bodies;
}

export async function expireApprovals(work: Work): Promise<void> {
  const now = work.engine.clock.now();
  const expired = [...work.state.approvals.values()].filter((asked) => asked.expiresAt <= now);
  if (expired.length === 0) return;
  await work.append(
    expired.map(({ run, approval }) => ({ type: 'approval.answered', run, approval, answer: 'expired', by: 'klaus' })),
  );
}
