import type { Command, Event } from '../../protocol/index.ts';
import { optional } from '../../protocol/index.ts';
import { toClause } from '../loop/finish.ts';
import { isLeftOutNotice } from '../context/instruction-file.ts';

/** The commands that the events from `from` on answer, as they must have stood in the inbox; empty where none does. */
export function readCommands(events: readonly Event[], from: number): Command[] {
  const commands: Command[] = [];
  for (let at = from; at < events.length;) {
    const found = readCommand(events, at);
    if (!found) break;
    commands.push(found.command);
    at = found.next;
  }
  return commands;
}

function readCommand(events: readonly Event[], at: number): { command: Command; next: number } | undefined {
  const event = events[at]!;
  const id = toCommandId(at);
  switch (event.type) {
    case 'run.started': {
      const { onAsk, waitForModelMs } = event;
      const options = { onAsk, ...optional({ waitForModelMs }) };
      if (event.trigger === 'prompt') return readPrompt(events, { at, id, ...options });
      const said = events[at + 1];
      const isSaid = said?.type === 'message.added' && said.message.origin === 'engine' && said.at === event.at;
      return { command: { type: 'resume', id, ...options }, next: isSaid ? at + 2 : at + 1 };
    }
    case 'message.added': {
      if (event.message.origin !== 'steer') return undefined;
      const { parts } = event.message;
      const pin = readPromptPin(events, at + 1);
      return {
        command: { type: 'prompt', id, parts, onAsk: 'deny', delivery: 'steer', ...pin },
        next: at + (pin ? 2 : 1),
      };
    }
    case 'approval.answered': {
      const { approval, answer, by, note, hunks, scope } = event;
      if (answer !== 'approved' && answer !== 'rejected') return toCancel(events, at);
      const following = events[at + 1];
      const raises = answer === 'approved' && following?.type === 'session.changed' && following.limits !== undefined;
      const command: Command = { type: 'approve', id, approval, answer, by, note, hunks, scope };
      return { command, next: raises && isLimit(events, approval, at) ? at + 2 : at + 1 };
    }
    case 'session.changed':
      return readChange(events, at);
    case 'context.pinned': {
      const { pin, text, source, by } = event;
      return { command: { type: 'pin', id: pin, text, by, ...optional({ source }) }, next: at + 1 };
    }
    case 'context.unpinned':
      return { command: { type: 'unpin', id, pin: event.pin, by: event.by }, next: at + 1 };
    case 'grant.changed':
      // Which parts were named is not recorded, only what was left: that is taken as it is, see compare.ts.
      return { command: { type: 'revoke', id, by: event.by ?? 'klaus', reason: event.reason }, next: at + 1 };
    default:
      return toCancel(events, at);
  }
}

/** Names the command by the first event that answers it. */
export function toCommandId(at: number): string {
  return `recorded-${at}`;
}

function readPrompt(
  events: readonly Event[],
  { at, id, ...options }: { at: number; id: string; onAsk: 'deny' | 'wait'; waitForModelMs?: number },
): { command: Command; next: number } | undefined {
  for (let next = at + 1; next < events.length; next++) {
    const event = events[next]!;
    if (event.type === 'session.changed' || isLeftOutNotice(event)) continue;
    if (event.type !== 'message.added') return undefined;
    if (event.message.origin !== 'user') continue;
    const { parts } = event.message;
    const pin = readPromptPin(events, next + 1);
    return {
      command: { type: 'prompt', id, parts, delivery: 'queue', ...options, ...pin },
      next: next + (pin ? 2 : 1),
    };
  }
  return undefined;
}

/** That a prompt was to be pinned, by the event behind it: the pin has the name of the command. */
function readPromptPin(events: readonly Event[], at: number): { pin: true; id?: string } | undefined {
  const event = events[at];
  if (event?.type === 'context.pinned' && event.by === 'prompt') return { pin: true, id: event.pin };
  const isRefused = event?.type === 'notice' && event.text.startsWith('The prompt was not pinned. ');
  return isRefused ? { pin: true } : undefined;
}

function isLimit(events: readonly Event[], approval: string, before: number): boolean {
  const asked = events.findLast(
    (event, index) => index < before && event.type === 'approval.asked' && event.approval === approval,
  );
  return asked?.type === 'approval.asked' && asked.subject.kind === 'limit';
}

function readChange(events: readonly Event[], at: number): { command: Command; next: number } | undefined {
  const event = events[at]!;
  // A summary is the engine's own.
  if (event.type !== 'session.changed' || event.summary !== undefined) return undefined;
  const id = toCommandId(at);
  const { limits, title, pinned, model, mode } = event;
  if (!limits) return { command: { type: 'change', id, title, pinned, model, mode }, next: at + 1 };
  let next = at + 1;
  for (let event = events[next]; event?.type === 'approval.answered' && event.answer === 'superseded';) {
    event = events[++next];
  }
  return { command: { type: 'limits', id, limits }, next };
}

/** A cancel is known by its end: everything that was open is settled, and the user stopped the run. */
function toCancel(events: readonly Event[], at: number): { command: Command; next: number } | undefined {
  const settled: string[] = [];
  for (let next = at; next < events.length; next++) {
    const event = events[next]!;
    if (event.type === 'run.finished') {
      const { outcome, reason, by } = event;
      if (outcome !== 'cancelled' || !settled.every((output) => output.includes(toClause(reason)))) return undefined;
      const command: Command = { type: 'cancel', id: toCommandId(at), reason, ...optional({ by }) };
      return { command, next: next + 1 };
    }
    if (event.type === 'tool.finished') settled.push(event.output);
    else if (!isSettling(event)) return undefined;
  }
  return undefined;
}

/** True for what a cancel settles before it ends the run. */
function isSettling(event: Event): boolean {
  switch (event.type) {
    case 'model.attempted':
      return event.outcome === 'abandoned';
    case 'turn.finished':
      return event.stopReason === 'cancelled';
    case 'approval.answered':
      return event.answer === 'superseded';
    case 'gate.decided':
      return event.call.startsWith('checkpoint-');
    case 'workspace.committed':
    case 'notice':
      return true;
    default:
      return false;
  }
}
