import type { Event, EventOf, Message } from '@klaus/core/protocol';
import { describeCall } from './describe-call.ts';
import { toClaimLine, toEvidenceLines } from './evidence-lines.ts';
import { describeProcessChange } from './describe-process.ts';
import { formatCount, formatDuration, formatNumber, formatUsage, formatUsd } from './format.ts';

/** One thing that a reader of a session wants to see. */
export type Entry =
  | {
      kind: 'opened';
      session: string;
      workspace: string;
      model: string;
      mode: string;
      sandbox: string;
      forked?: { session: string; seq: number };
      at: number;
    }
  | { kind: 'user'; text: string; steered: boolean; attached: string[]; at: number }
  | { kind: 'model'; text: string; at: number }
  | {
      kind: 'call';
      turn: number;
      title: string;
      ok: boolean;
      outcome: string;
      output: string;
      duration: string;
      at: number;
    }
  | { kind: 'note'; text: string; at: number }
  | { kind: 'evidence'; mark: 'ok' | 'warn' | 'bad'; text: string; at: number }
  | { kind: 'end'; outcome: string; reason: string; facts: string; at: number };

/** A session's log as a person reads it: a fold that holds no more than the titles of open calls. */
export function* toTranscript(events: Iterable<Event>): Generator<Entry, void, undefined> {
  const titles = new Map<string, string>();
  const open = new Set<string>();
  let at = 0;
  for (const event of events) {
    at = event.at;
    switch (event.type) {
      case 'session.opened':
        yield {
          kind: 'opened',
          session: event.session,
          workspace: event.workspace,
          model: event.model,
          mode: event.mode,
          sandbox: event.sandbox,
          ...(event.forked ? { forked: event.forked } : {}),
          at,
        };
        break;
      case 'message.added': {
        for (const part of event.message.parts) {
          if (part.type === 'call') titles.set(part.id, describeCall(part.name, part.input, 100));
        }
        const entry = toMessageEntry(event.message, at);
        if (entry !== undefined) yield entry;
        break;
      }
      case 'tool.started':
        open.add(event.call);
        break;
      case 'tool.finished': {
        open.delete(event.call);
        const title = titles.get(event.call) ?? event.name;
        titles.delete(event.call);
        const duration = formatDuration(event.durationMs);
        yield {
          kind: 'call',
          turn: event.turn,
          title,
          ok: event.outcome === 'ok',
          outcome: event.outcome,
          output: event.output,
          duration,
          at,
        };
        break;
      }
      case 'approval.asked':
        yield { kind: 'note', text: `Asked: ${event.title}. ${event.reason}`, at };
        break;
      case 'approval.answered':
        yield { kind: 'note', text: toAnswerText(event), at };
        break;
      case 'model.attempted':
        if (event.outcome === 'abandoned') {
          const { input, output, cacheWrite } = event.usage;
          const tokens = formatCount(input + output + cacheWrite);
          const what = `A request for a ${event.purpose} was left behind by a process that ended`;
          yield { kind: 'note', text: `${what}: charged ${tokens} tokens, ${formatUsd(event.usd)}.`, at };
        }
        break;
      case 'workspace.restored': {
        const verb = event.kind === 'redo' ? 'made again' : event.kind === 'review' ? 'not kept' : 'put back';
        yield {
          kind: 'note',
          text: `${formatNumber(event.files, 'path')} ${verb}${event.turns.length > 0 ? `, turn ${event.turns.join(', ')}` : ''}, by ${event.by}.`,
          at,
        };
        break;
      }
      case 'workspace.committed':
        yield { kind: 'note', text: `Checkpoint ${event.commit} on ${event.ref}.`, at };
        break;
      case 'evidence.verified':
        yield* toVerifiedEntries(event, at);
        break;
      case 'run.finished': {
        yield* toEvidenceEntries(event, at);
        const facts = `${formatNumber(event.turns, 'turn')}, ${formatNumber(event.toolCalls, 'tool call')}, ${formatUsage(event.usage)}, ${formatUsd(event.usd)}`;
        yield { kind: 'end', outcome: event.outcome, reason: event.reason, facts, at };
        break;
      }
      default: {
        const text = toNote(event);
        if (text !== undefined) yield { kind: 'note', text, at };
      }
    }
  }
  for (const call of open)
    yield { kind: 'note', text: `Begun and without a result yet: ${titles.get(call) ?? call}`, at };
}

/** What is said in one line. */
function toNote(event: Event): string | undefined {
  switch (event.type) {
    case 'context.compacted':
      return `${formatNumber(event.dropped, 'older message')} replaced by a summary.`;
    case 'context.pinned':
      return `Pinned as ${event.pin}${toPinSource(event)}: ${event.text}`;
    case 'context.unpinned':
      return `Unpinned ${event.pin} by ${event.by}.`;
    case 'process.changed':
      return `${describeProcessChange(event)}.`;
    case 'notice':
      return event.text;
    default:
      return undefined;
  }
}

function toAnswerText({ answer, by, hunks, scope, note }: EventOf<'approval.answered'>): string {
  const part = hunks ? ` in part (${hunks.accepted.join(', ')})` : '';
  const time = scope && scope !== 'once' ? ` for the ${scope}` : '';
  return `${answer} by ${by}${part}${time}${note === undefined ? '' : `: ${note}`}`;
}

function toPinSource({ source, by }: EventOf<'context.pinned'>): string {
  return source === undefined ? ` by ${by}` : ` by ${by}, from ${source}`;
}

/** The checks of a run and what its last words claim. */
function toEvidenceEntries(event: EventOf<'run.finished'>, at: number): Entry[] {
  const proven = (event.claims ?? []).filter(({ status }) => status === 'verified');
  return [...toEvidenceLines(event), ...proven.map(toClaimLine)].map(({ kind, mark, text, detail }) => {
    const line = kind === 'check' ? `Check ${text}: ${detail}` : `Claim ${text} ${detail}`;
    return { kind: 'evidence', mark, text: line, at };
  });
}

const MARKS = { passed: 'ok', skipped: 'warn', failed: 'bad', denied: 'bad' } as const;

function toVerifiedEntries({ checks, by }: EventOf<'evidence.verified'>, at: number): Entry[] {
  return checks.map(({ command, result, exitCode, differs, recorded, reason }) => {
    const ended = exitCode === null ? '' : `, exit ${exitCode}`;
    const was = differs ? `, differs from the record (exit ${recorded ?? 'by a signal'})` : '';
    const why = reason === undefined ? '' : `: ${reason}`;
    return {
      kind: 'evidence',
      mark: MARKS[result],
      text: `Run again by ${by}: ${command}: ${result}${ended}${was}${why}`,
      at,
    };
  });
}

function toMessageEntry(message: Message, at: number): Entry | undefined {
  const text = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (message.origin === 'model') return text.trim() === '' ? undefined : { kind: 'model', text, at };
  if (message.origin !== 'user' && message.origin !== 'steer') return undefined;
  const attached = message.parts.flatMap((part) => {
    if (part.type === 'file') return [part.name];
    return part.type === 'image' ? [part.mediaType] : [];
  });
  return { kind: 'user', text, steered: message.origin === 'steer', attached, at };
}
