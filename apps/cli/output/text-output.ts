import type { Event, EventOf, EventType, Live } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import {
  describeEscalation,
  describeProcessChange,
  formatCount,
  formatDuration,
  formatNumber,
  formatUsage,
  formatUsd,
  toEvidenceLines,
} from '@klaus/sdk/transcript';
import { createAnswerView } from './answer-view.ts';
import { createCallsView } from './calls-view.ts';
import type { Output } from './output.ts';
import { createScreen, type Mark, type Screen } from './screen.ts';

/** Each type of event with its view. A type that is not shown has {@link hidden}. */
type Views = { readonly [T in EventType]: (event: EventOf<T>) => void };

const hidden = (): void => {};

/**
 * A run for people: progress on standard error, the final answer on standard output. On a terminal, the text of the
 * model is streamed, and the bottom line shows what is running.
 */
export function createTextOutput(options: { plain: boolean; raw: boolean }): Output {
  const screen = createScreen(options);
  const answer = createAnswerView(screen);
  const calls = createCallsView(screen);
  const views: Views = {
    ...createFactViews(screen),
    'run.started': () => answer.begin(),
    'message.added': (event) => {
      if (event.message.origin === 'model') calls.learn(event);
      answer.add(event);
    },
    'turn.started': () => screen.status('… thinking'),
    'tool.waiting': ({ children }) => screen.status(`… waiting for ${formatNumber(children.length, 'agent')}`),
    'turn.finished': (event) => answer.endTurn(event),
    'tool.started': (event) => calls.start(event),
    'tool.finished': (event) => calls.finish(event),
    'run.finished': (event) => {
      answer.end();
      showEnd(screen, event);
    },
  };
  return {
    event(event: Event) {
      // The table pairs each type with its own event, which the compiler cannot follow through the union.
      (views[event.type] as (event: Event) => void)(event);
    },
    recall(event) {
      if (event.type === 'message.added' && event.message.origin === 'model') calls.learn(event);
      if (event.type === 'tool.finished') calls.forget(event);
    },
    live: screen.watched
      ? (live: Live) => {
          if (live.type === 'tool.progress') calls.progress(live);
          else answer.live(live);
        }
      : undefined,
    note: (text, level = 'info') =>
      screen.line(`${screen.mark(level)}${screen.paint(level === 'warn' ? 'yellow' : 'dim', toPrintable(text))}`),
    settle: () => screen.settle(),
  };
}

/** Events that are one line each, and those that are not shown. */
function createFactViews(screen: Screen) {
  const { mark, paint, line } = screen;
  const fact = (kind: Mark, text: string): void => line(`${mark(kind)}${kind === 'info' ? paint('dim', text) : text}`);
  return {
    'session.opened': ({ session, model, mode, sandbox, agent }) =>
      fact(
        'info',
        `session ${session}, ${agent === undefined ? '' : `agent ${agent}, `}${model}, mode ${mode}, sandbox ${sandbox}`,
      ),
    'model.attempted': (event) => {
      // Title failures are not reported.
      if (event.outcome === 'ok' || event.outcome === 'cancelled' || event.purpose === 'title') return;
      const what = toLine(`${event.model}: ${event.message ?? event.outcome.replaceAll('_', ' ')}`, 200);
      const left = event.waitUntil === undefined ? '' : `, for ${formatDuration(event.waitUntil - event.at)} at most`;
      const next = event.retryInMs === undefined ? '' : `; retrying in ${formatDuration(event.retryInMs)}${left}`;
      fact('warn', `${what}${next}`);
    },
    'approval.answered': ({ answer, hunks, by }) =>
      fact(answer === 'approved' ? 'ok' : 'warn', `${answer}${hunks ? ' in part' : ''} by ${toLine(by, 60)}`),
    'usage.counted': ({ percent, limit, used, cap }) =>
      fact('warn', `${Math.round(percent)} % of the ${limit} limit used (${formatCount(used)} of ${formatCount(cap)})`),
    'context.compacted': ({ dropped }) =>
      fact('info', `${formatNumber(dropped, 'older message')} replaced by a summary`),
    'context.pinned': ({ text }) => fact('info', `pinned: ${toLine(text, 100)}`),
    'runner.opened': ({ agent, resumed }) =>
      fact('info', `${toLine(agent, 80)} ${resumed ? 'continues its session' : 'started a new session'}`),
    'process.changed': (event) => {
      const text = paint('dim', toLine(describeProcessChange(event), 200));
      line(`${mark(event.state === 'lost' ? 'warn' : 'info')}${text}`);
    },
    'workspace.restored': ({ kind, files, turns }) => {
      const verb = kind === 'redo' ? 'redone' : kind === 'review' ? 'rejected' : 'restored';
      const which = turns.length > 0 ? ` (turn ${turns.join(', ')})` : '';
      fact('info', `${formatNumber(files, 'path')} ${verb}${which}`);
    },
    'workspace.committed': ({ commit, ref, files }) =>
      fact('info', toLine(`checkpoint ${commit.slice(0, 10)} on ${ref}, ${formatNumber(files, 'file')}`, 200)),
    notice: ({ level, text }) => line(`${mark(level === 'info' ? 'info' : 'warn')}${toPrintable(text)}`),
    'child.opened': ({ agent, child }) => fact('info', `${toLine(agent, 60)} started as session ${child}`),
    'child.finished': ({ agent, outcome, usd, turns }) =>
      fact(
        outcome === 'done' ? 'ok' : 'warn',
        `${toLine(agent, 60)}: ${outcome}, ${formatNumber(turns, 'turn')}, ${formatUsd(usd)}`,
      ),
    'grant.escalated': (event) => fact('info', toLine(describeEscalation(event), 200)),
    'child.closed': hidden,
    'session.changed': hidden,
    'session.closed': hidden,
    'model.requested': hidden,
    'gate.decided': hidden,
    'approval.asked': hidden,
    'grant.changed': hidden,
    'workspace.snapshotted': hidden,
    'evidence.verified': hidden,
    'context.unpinned': hidden,
  } satisfies Partial<Views>;
}

function showEnd({ mark, paint, line }: Screen, event: EventOf<'run.finished'>): void {
  for (const { mark: kind, text, detail } of toEvidenceLines(event)) {
    line(`${mark(kind)}${toLine(text, 120)} ${paint('dim', toLine(detail, 300))}`);
  }
  const facts = [
    formatNumber(event.turns, 'turn'),
    formatNumber(event.toolCalls, 'tool call'),
    formatUsage(event.usage),
    formatUsd(event.usd),
  ];
  if (event.outcome !== 'done') line(`${mark('bad')}${toPrintable(event.reason)}`);
  line(`${mark(event.outcome === 'done' ? 'ok' : 'info')}${paint('dim', facts.join(', '))}`);
}
