import { findOwnWork, type Command, type Event, type EventOf, type EventType } from '../../protocol/index.ts';
import { isLeftOutNotice } from '../context/instruction-file.ts';
import { isFailedNotice, isRefusedNotice } from '../hooks/hook-notice.ts';
import { readUserCommand } from '../context/user-command.ts';
import { toClause } from '../loop/finish.ts';

/** A command, and the index of the first event after those that it became. */
interface Found {
  command: Command;
  next: number;
}

/** An event with its index in the log. */
interface Position {
  events: readonly Event[];
  at: number;
  /** Id of the command that begins here. */
  id: string;
}

/** How commands are recognized by an event of one type. */
interface EventReader<T extends EventType> {
  /** The command that begins with this event. Default: a cancel that ends the run, if the events that follow do so. */
  read?(event: EventOf<T>, position: Position): Found | undefined;
  /** True if a cancel can append this event before it ends the run. Default: false. */
  isClosing?(event: EventOf<T>): boolean;
}

const READERS: { readonly [T in EventType]: EventReader<T> } = {
  'session.opened': {},
  'session.changed': { read: readChange },
  'session.closed': {},
  'run.started': {
    read({ onAsk, waitForModelMs, trigger, by = 'klaus', at: time }, { events, at, id }) {
      const options = { onAsk, waitForModelMs };
      if (trigger === 'prompt') return readPrompt(events, { at, id, ...options });
      const message = events[at + 1];
      if (message?.type === 'compaction.requested' && trigger === 'compact')
        return { command: { type: 'compact', id, by: message.by, onAsk }, next: at + 2 };
      if (trigger === 'shell') {
        const command = message?.type === 'message.added' ? readUserCommand(message.message) : undefined;
        return command === undefined ? undefined : { command: { ...command, id, by, onAsk }, next: at + 2 };
      }
      const isNudged = message?.type === 'message.added' && message.message.origin === 'engine' && message.at === time;
      return { command: { type: 'resume', id, ...options }, next: isNudged ? at + 2 : at + 1 };
    },
  },
  'run.finished': {},
  'runner.opened': {},
  'turn.started': {},
  'turn.finished': { isClosing: ({ stopReason }) => stopReason === 'cancelled' },
  'model.requested': {},
  'model.attempted': { isClosing: ({ outcome }) => outcome === 'abandoned' },
  'message.added': {
    read({ message: { origin, parts }, tainted, untrusted }, { events, at, id }) {
      if (origin !== 'steer') return undefined;
      const pin = readPromptPin(events, at + 1);
      const command: Command = {
        type: 'prompt',
        id,
        parts,
        onAsk: 'deny',
        delivery: 'steer',
        ...pin,
        tainted,
        untrusted,
      };
      return { command, next: at + (pin ? 2 : 1) };
    },
  },
  'tool.started': {},
  'tool.waiting': {},
  'tool.finished': { isClosing: () => true },
  'gate.decided': { isClosing: ({ call }) => findOwnWork(call) === 'checkpoint' },
  'approval.asked': {},
  'grant.escalated': {},
  'child.opened': {},
  'child.finished': { read: readChildEnd },
  'child.closed': { read: readChildEnd, isClosing: () => true },
  'approval.answered': { read: readAnswer, isClosing: ({ answer }) => answer === 'superseded' },
  'approval.changed': {
    read: ({ approval, scope, by }, { at, id }) => ({
      command: { type: 'scope', id, approval, scope, by },
      next: at + 1,
    }),
  },
  // The revoked authorities are not recorded. The grant that remains is taken from the event, see compare.ts.
  'grant.changed': {
    read: ({ by = 'klaus', reason }, { at, id }) => ({ command: { type: 'revoke', id, by, reason }, next: at + 1 }),
  },
  'workspace.snapshotted': {},
  'workspace.restored': {},
  'workspace.committed': { isClosing: () => true },
  'workingCopy.ended': {},
  'compaction.requested': {
    read: ({ by }, { at, id }) => ({ command: { type: 'compact', id, by }, next: at + 1 }),
  },
  'context.compacted': {},
  'context.pinned': {
    read: ({ pin: id, text, source, by }, { at }) => ({
      command: { type: 'pin', id, text, by, source },
      next: at + 1,
    }),
  },
  'context.unpinned': {
    read: ({ pin, by }, { at, id }) => ({ command: { type: 'unpin', id, pin, by }, next: at + 1 }),
  },
  'content.refused': {},
  'process.changed': {},
  'usage.counted': {},
  'evidence.verified': {},
  notice: {
    isClosing: () => true,
    read(event, position) {
      const { at, id } = position;
      if (!isRefusedNotice(event)) return readCancel(position);
      return { command: { type: 'prompt', id, parts: [], onAsk: 'deny', delivery: 'steer' }, next: at + 1 };
    },
  },
};

function toReader(event: Event): EventReader<EventType> {
  return READERS[event.type] as EventReader<EventType>;
}

/** The commands that the events from an index on answer, as they were queued in the inbox. */
export function readCommands(events: readonly Event[], from: number): Command[] {
  const commands: Command[] = [];
  for (let at = from; at < events.length;) {
    const event = events[at]!;
    const position = { events, at, id: toCommandId(at) };
    const reader = toReader(event);
    const found = reader.read ? reader.read(event, position) : readCancel(position);
    if (!found) break;
    commands.push(found.command);
    at = found.next;
  }
  return commands;
}

/** Names the command by the first event that answers it. */
export function toCommandId(at: number): string {
  return `recorded-${at}`;
}

/** The end of a child session, and its closing with it. */
function readChildEnd(
  { child, type }: EventOf<'child.finished' | 'child.closed'>,
  { events, at, id }: Position,
): Found {
  const after = events[at + 1];
  const isClosed = type === 'child.finished' && after?.type === 'child.closed' && after.child === child;
  return { command: { type: 'child', id, child }, next: at + (isClosed ? 2 : 1) };
}

function readPrompt(
  events: readonly Event[],
  { at, id, ...options }: { at: number; id: string; onAsk: 'deny' | 'wait'; waitForModelMs?: number },
): Found | undefined {
  for (let next = at + 1; next < events.length; next++) {
    const event = events[next]!;
    if (event.type === 'session.changed' || isLeftOutNotice(event) || isFailedNotice(event)) continue;
    // The text of a refused prompt is not recorded.
    if (isRefusedNotice(event))
      return { command: { type: 'prompt', id, parts: [], delivery: 'queue', ...options }, next: next + 2 };
    if (event.type !== 'message.added') return undefined;
    if (event.message.origin !== 'user') continue;
    const { parts } = event.message;
    const { tainted, untrusted } = event;
    const pin = readPromptPin(events, next + 1);
    return {
      command: { type: 'prompt', id, parts, delivery: 'queue', ...options, ...pin, tainted, untrusted },
      next: next + (pin ? 2 : 1),
    };
  }
  return undefined;
}

/** Whether the prompt was to be pinned: the pin follows its message and has the id of the command. */
function readPromptPin(events: readonly Event[], at: number): { pin: true; id?: string } | undefined {
  const event = events[at];
  if (event?.type === 'context.pinned' && event.by === 'prompt') return { pin: true, id: event.pin };
  const isRefused = event?.type === 'notice' && event.text.startsWith('The prompt was not pinned. ');
  return isRefused ? { pin: true } : undefined;
}

function subjectOf(events: readonly Event[], approval: string, before: number): string | undefined {
  const asked = events.findLast(
    (event, index) => index < before && event.type === 'approval.asked' && event.approval === approval,
  );
  return asked?.type === 'approval.asked' ? asked.subject.kind : undefined;
}

function readAnswer(event: EventOf<'approval.answered'>, position: Position): Found | undefined {
  const { approval, answer, by, note, hunks, scope, plan, content } = event;
  const { events, at, id } = position;
  if (answer !== 'approved' && answer !== 'rejected') return readCancel(position);
  const following = events[at + 1];
  const subject = answer === 'approved' && following?.type === 'session.changed' && subjectOf(events, approval, at);
  const changed = following?.type === 'session.changed' ? following : undefined;
  const mode = subject === 'plan' && changed?.mode !== 'plan' ? changed?.mode : undefined;
  const raises = subject === 'limit' && changed?.limits !== undefined;
  const command: Command = { type: 'approve', id, approval, answer, by, note, hunks, scope, plan, mode, content };
  const escalates = following?.type === 'grant.escalated' && following.approval === approval;
  return { command, next: escalates || raises || mode !== undefined ? at + 2 : at + 1 };
}

function readChange(event: EventOf<'session.changed'>, { events, at, id }: Position): Found | undefined {
  const { limits, title, pinned, archived, model, fallback, mode, effort, onAsk, summary } = event;
  // Only the engine sets a summary.
  if (summary !== undefined) return undefined;
  // Both close questions.
  const answer = limits ? 'superseded' : 'rejected';
  let next = at + 1;
  if (limits || onAsk === 'deny')
    for (
      let event = events[next];
      event?.type === 'approval.answered' && event.answer === answer && event.by === 'klaus';
    )
      event = events[++next];
  if (limits) return { command: { type: 'limits', id, limits }, next };
  return { command: { type: 'change', id, title, pinned, archived, model, fallback, mode, effort, onAsk }, next };
}

/** A cancel is recognized by its end: it answers everything that is open with its reason, and ends the run. */
function readCancel({ events, at, id }: Position): Found | undefined {
  const outputs: string[] = [];
  for (let next = at; next < events.length; next++) {
    const event = events[next]!;
    if (event.type === 'run.finished') {
      const { outcome, reason, by } = event;
      // Without a door, the model ended the run.
      const isJudged = (outcome === 'done' || outcome === 'failed') && by !== undefined;
      const isStopped = outcome === 'cancelled' || isJudged;
      if (!isStopped || !outputs.every((output) => output.includes(toClause(reason)))) return undefined;
      const command: Command = { type: 'cancel', id, reason, by };
      return { command: isJudged ? { ...command, outcome } : command, next: next + 1 };
    }
    if (!toReader(event).isClosing?.(event)) return undefined;
    if (event.type === 'tool.finished') outputs.push(event.output);
  }
  return undefined;
}
