import type { Event, EventOf, EventType, Message } from '@klaus/core/protocol';
import { describeCall } from './describe-call.ts';
import { toOutputPart, type OutputPart } from '@klaus/core/output-part';
import { describeEnding } from './describe-ending.ts';
import { toClaimLine, toEvidenceLines } from './evidence-lines.ts';
import { describeEscalation, describeProcessChange } from './describe-call.ts';
import { toFacts } from './describe-fact.ts';
import { formatCount, formatDuration, formatNumber, formatUsd } from './format.ts';

export type Entry =
  | {
      kind: 'opened';
      session: string;
      workspace: string;
      model: string;
      mode: string;
      sandbox: string;
      agent?: string;
      /** The session that started it. */
      parent?: string;
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
      /** How much of the output `output` is; undefined: all of it. */
      part?: OutputPart | undefined;
      call: string;
      duration: string;
      at: number;
    }
  | { kind: 'note'; text: string; at: number }
  | { kind: 'evidence'; mark: 'ok' | 'warn' | 'bad'; text: string; at: number }
  | { kind: 'end'; outcome: string; reason: string; facts: string; at: number };

/** A session's log for a reader. Holds no more than the titles of open calls. */
export function* toTranscript(events: Iterable<Event>): Generator<Entry, void, undefined> {
  const calls: Calls = { titles: new Map(), open: new Set() };
  let at = 0;
  for (const event of events) {
    at = event.at;
    const toEntries = ENTRIES[event.type] as (event: Event, calls: Calls) => Content[];
    for (const entry of toEntries(event, calls)) yield { ...entry, at };
  }
  for (const call of calls.open) {
    yield { kind: 'note', text: `Started, without a result yet: ${calls.titles.get(call) ?? call}`, at };
  }
}

type Content = Entry extends infer E ? (E extends Entry ? Omit<E, 'at'> : never) : never;

/** Calls without a result, and the titles of all calls that may still start. */
interface Calls {
  titles: Map<string, string>;
  open: Set<string>;
}

const none = (): Content[] => [];

/** The entries of each event. A new type of event needs a line here. */
const ENTRIES = {
  'session.opened': ({ session, workspace, model, mode, sandbox, agent, parent, forked }) => {
    // A fork of a child session belongs to the user.
    const above = { agent, forked, parent: forked ? undefined : parent?.session };
    return [{ kind: 'opened', session, workspace, model, mode, sandbox, ...above }];
  },
  'session.changed': none,
  'session.closed': none,
  'run.started': none,
  'run.finished': (event) => {
    const facts = toFacts(event);
    return [...toEvidenceEntries(event), { kind: 'end', outcome: event.outcome, reason: event.reason, facts }];
  },
  'turn.started': none,
  'turn.finished': none,
  'model.requested': none,
  'model.attempted': ({ outcome, purpose, usage, usd }) => {
    if (outcome !== 'abandoned') return [];
    const tokens = formatCount(usage.input + usage.output + usage.cacheWrite);
    const what = `A request for a ${purpose} was left open by a process that ended`;
    return [toNote(`${what}: charged ${tokens} tokens, ${formatUsd(usd)}.`)];
  },
  'message.added': ({ message }, { titles }) => {
    for (const part of message.parts) {
      if (part.type !== 'call') continue;
      const by = message.origin === 'shell' ? ', entered by the user' : '';
      titles.set(part.id, `${describeCall(part.name, part.input, 100)}${by}`);
    }
    return toMessageEntries(message);
  },
  'gate.decided': none,
  'tool.started': ({ call }, { open }) => {
    open.add(call);
    return [];
  },
  'tool.waiting': none,
  'tool.finished': (event, { titles, open }) => {
    const { call, name, turn, outcome, output, durationMs } = event;
    open.delete(call);
    const title = titles.get(call) ?? name;
    titles.delete(call);
    const part = toOutputPart(event);
    const duration = formatDuration(durationMs);
    return [{ kind: 'call', turn, title, ok: outcome === 'ok', outcome, output, part, call, duration }];
  },
  'approval.asked': ({ title, reason, subject }) => [
    toNote(`Asked: ${title}. ${reason}${subject.kind === 'plan' ? `\n${subject.plan.trimEnd()}` : ''}`),
  ],
  'approval.answered': (event) => [toNote(toAnswerText(event))],
  'approval.changed': ({ approval, scope, by }) => [
    toNote(
      scope === 'once'
        ? `Approval ${approval} revoked by ${by}.`
        : `Approval ${approval} remembered for the ${scope} by ${by}.`,
    ),
  ],
  'grant.changed': none,
  'grant.escalated': (event) => [toNote(`${describeEscalation(event)}.`)],
  'child.opened': ({ agent, child }) => [toNote(`Started the agent ${agent} as session ${child}.`)],
  'child.finished': ({ agent, child, outcome, usd }) => [
    toNote(`The agent ${agent} (${child}) ended a run: ${outcome}, ${formatUsd(usd)}.`),
  ],
  'child.closed': none,
  'workspace.snapshotted': none,
  'workspace.restored': ({ kind, files, turns, by }) => {
    const verb = kind === 'redo' ? 'redone' : kind === 'review' ? 'at protected places not kept' : 'restored';
    const which = turns.length > 0 ? `, turn ${turns.join(', ')}` : '';
    return [toNote(`${formatNumber(files, 'path')} ${verb}${which}, by ${by}.`)];
  },
  'workingCopy.ended': (event) => [toNote(describeEnding(event))],
  'workspace.committed': ({ commit, ref }) => [toNote(`Checkpoint ${commit} on ${ref}.`)],
  'evidence.verified': toVerifiedEntries,
  'context.compacted': ({ dropped }) => [toNote(`${formatNumber(dropped, 'older message')} replaced by a summary.`)],
  'compaction.requested': none,
  'content.refused': none,
  'context.pinned': (event) => [toNote(`Pinned as ${event.pin}${toPinSource(event)}: ${event.text}`)],
  'context.unpinned': ({ pin, by }) => [toNote(`Unpinned ${pin} by ${by}.`)],
  'process.changed': (event) => [toNote(`${describeProcessChange(event)}.`)],
  'runner.opened': ({ agent, resumed }) => [
    toNote(`${agent} ${resumed ? 'continues its session' : 'started a new session'}.`),
  ],
  'usage.counted': none,
  notice: ({ text }) => [toNote(text)],
} satisfies { [T in EventType]: (event: EventOf<T>, calls: Calls) => Content[] };

function toNote(text: string): Content {
  return { kind: 'note', text };
}

function toAnswerText({ answer, by, hunks, scope, note, plan }: EventOf<'approval.answered'>): string {
  const part = hunks ? ` in part (${hunks.accepted.join(', ')})` : '';
  const time = scope && scope !== 'once' ? ` for the ${scope}` : '';
  return `${answer} by ${by}${part}${time}${note === undefined ? '' : `: ${note}`}${plan === undefined ? '' : `, with this plan:\n${plan.trimEnd()}`}`;
}

function toPinSource({ source, by }: EventOf<'context.pinned'>): string {
  return source === undefined ? ` by ${by}` : ` by ${by}, from ${source}`;
}

/** The checks of a run and the claims of its last message. */
function toEvidenceEntries(event: EventOf<'run.finished'>): Content[] {
  const proven = (event.claims ?? []).filter(({ status }) => status === 'verified');
  return [...toEvidenceLines(event), ...proven.map(toClaimLine)].map(({ kind, mark, text, detail }) => {
    const line = kind === 'check' ? `Check ${text}: ${detail}` : `Claim ${text} ${detail}`;
    return { kind: 'evidence', mark, text: line };
  });
}

const MARKS = { passed: 'ok', skipped: 'warn', failed: 'bad', denied: 'bad' } as const;

function toVerifiedEntries({ checks, by }: EventOf<'evidence.verified'>): Content[] {
  return checks.map(({ command, result, exitCode, differs, recorded, reason }) => {
    const ended = exitCode === null ? '' : `, exit ${exitCode}`;
    const was = differs ? `, differs from the record (exit ${recorded ?? 'by a signal'})` : '';
    const why = reason === undefined ? '' : `: ${reason}`;
    const text = `Run again by ${by}: ${command}: ${result}${ended}${was}${why}`;
    return { kind: 'evidence', mark: MARKS[result], text };
  });
}

function toMessageEntries(message: Message): Content[] {
  const text = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (message.origin === 'model') return text.trim() === '' ? [] : [{ kind: 'model', text }];
  if (message.origin !== 'user' && message.origin !== 'steer') return [];
  const attached = message.parts.flatMap((part) => {
    if (part.type === 'file') return [part.name];
    return part.type === 'image' ? [part.mediaType] : [];
  });
  return [{ kind: 'user', text, steered: message.origin === 'steer', attached }];
}
