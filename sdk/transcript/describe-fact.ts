import { describeLimits, describeUsed } from '@klaus/core/protocol';
import type { Event, EventOf, EventType } from '@klaus/core/protocol';
import { describeEnding } from './describe-ending.ts';
import { describeEscalation, describeProcessChange } from './describe-call.ts';
import { toEvidenceLines } from './evidence-lines.ts';
import { formatCost, formatDuration, formatNumber, formatUsage, formatUsd } from './format.ts';
import { toLine, toPrintable } from './printable.ts';

/** A line of a terminal about an event. `text` is printable. */
export interface FactLine {
  mark: 'ok' | 'warn' | 'bad' | 'info';
  text: string;
  /** Less important text after it. */
  detail?: string;
}

const line = (mark: FactLine['mark'], text: string): FactLine[] => [{ mark, text: toLine(text, 400) }];

/** The lines about events that are neither messages nor calls. Types without an entry are not shown. */
const FACTS: { readonly [T in EventType]?: (event: EventOf<T>) => FactLine[] } = {
  'session.opened': ({ session, model, mode, sandbox, agent, limits }) => {
    const who = agent === undefined ? '' : `agent ${agent}, `;
    const caps = describeLimits(limits);
    return [
      ...line('info', `session ${session}, ${who}${model}, mode ${mode}, sandbox ${sandbox}`),
      ...(caps === '' ? [] : line('info', `limits: ${caps}`)),
    ];
  },
  'model.attempted': (event) => {
    // Title failures are not reported.
    if (event.outcome === 'ok' || event.outcome === 'cancelled' || event.purpose === 'title') return [];
    const what = toLine(`${event.model}: ${event.message ?? event.outcome.replaceAll('_', ' ')}`, 200);
    const left = event.waitUntil === undefined ? '' : `, for ${formatDuration(event.waitUntil - event.at)} at most`;
    if (event.fallback) return line('warn', `${what.replace(/[.;]+$/, '')}; ${event.fallback.model} answers instead`);
    if (event.retryInMs === undefined) return line('warn', what);
    return line('warn', `${what.replace(/[.;]+$/, '')}; retrying in ${formatDuration(event.retryInMs)}${left}`);
  },
  'approval.answered': ({ answer, hunks, by }) =>
    line(answer === 'approved' ? 'ok' : 'warn', `${answer}${hunks ? ' in part' : ''} by ${toLine(by, 60)}`),
  'usage.counted': (use) => line('warn', describeUsed(use)),
  'context.compacted': ({ dropped }) => line('info', `${formatNumber(dropped, 'older message')} replaced by a summary`),
  'context.pinned': ({ text }) => line('info', `pinned: ${toLine(text, 100)}`),
  'runner.opened': ({ agent, resumed }) =>
    line('info', `${toLine(agent, 80)} ${resumed ? 'continues its session' : 'started a new session'}`),
  'process.changed': (event) =>
    line(event.state === 'lost' ? 'warn' : 'info', toLine(describeProcessChange(event), 200)),
  'workspace.restored': ({ kind, files, turns }) => {
    const verb = kind === 'redo' ? 'redone' : kind === 'review' ? 'at protected places not kept' : 'restored';
    const which = turns.length > 0 ? ` (turn ${turns.join(', ')})` : '';
    return line('info', `${formatNumber(files, 'path')} ${verb}${which}`);
  },
  'workspace.committed': ({ commit, ref, files }) =>
    line('info', toLine(`checkpoint ${commit.slice(0, 10)} on ${ref}, ${formatNumber(files, 'file')}`, 200)),
  'workingCopy.ended': (event) => line('info', describeEnding(event)),
  notice: ({ level, text }) => [{ mark: level === 'info' ? 'info' : 'warn', text: toPrintable(text) }],
  'child.opened': ({ agent, child }) => line('info', `${toLine(agent, 60)} started as session ${child}`),
  'child.finished': ({ agent, outcome, usd, turns }) =>
    line(
      outcome === 'done' ? 'ok' : 'warn',
      `${toLine(agent, 60)}: ${outcome}, ${formatNumber(turns, 'turn')}, ${formatUsd(usd)}`,
    ),
  'grant.escalated': (event) => line('info', toLine(describeEscalation(event), 200)),
  'run.finished': (event) => [
    ...toEvidenceLines(event).map(({ mark, text, detail }) => ({
      mark,
      text: toLine(text, 120),
      detail: toLine(detail, 300),
    })),
    ...(event.outcome === 'done' ? [] : [{ mark: 'bad' as const, text: toPrintable(event.reason) }]),
    { mark: event.outcome === 'done' ? ('ok' as const) : ('info' as const), text: '', detail: toFacts(event) },
  ],
};

export function toFacts({ turns, toolCalls, usage, usd, held, estimated }: EventOf<'run.finished'>): string {
  const cost = formatCost(usd, held?.usd);
  return [formatNumber(turns, 'turn'), formatNumber(toolCalls, 'tool call'), formatUsage(usage, estimated), cost].join(
    ', ',
  );
}

/** The lines of a terminal about an event; none for messages, calls and events that only change the state. */
export function describeFact(event: Event): FactLine[] {
  // The table pairs each type with its own event, which the compiler cannot follow through the union.
  return (FACTS[event.type] as ((event: Event) => FactLine[]) | undefined)?.(event) ?? [];
}
