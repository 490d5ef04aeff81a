import type { Event, EventOf, EventType, Live } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import {
  describeCall,
  describeProcessChange,
  formatCount,
  formatDuration,
  formatNumber,
  formatUsage,
  formatUsd,
  toEvidenceLines,
} from '@klaus/sdk/transcript';
import type { Output } from './output.ts';
import { createScreen, type Screen } from './screen.ts';

type Views = { [T in EventType]?: (event: EventOf<T>) => void };

/**
 * A run for people: progress on standard error, the final answer on standard output. On a terminal the
 * model's text is shown as it comes, and the bottom line says what is running.
 *
 * @param options.plain Words instead of signs, no colours, nothing that moves. Default false.
 * @param options.raw What the model says is written as it is. Default false.
 */
export function createTextOutput(options: { plain?: boolean; raw?: boolean } = {}): Output {
  const screen = createScreen({ plain: options.plain ?? false, raw: options.raw ?? false });
  const words = createWordsView(screen);
  const calls = createCallsView(screen);
  const views: Views = {
    ...createFactViews(screen),
    'run.started': () => words.begin(),
    'message.added': (event) => {
      if (event.message.origin === 'model') calls.learn(event);
      words.add(event);
    },
    'turn.started': () => screen.status('… thinking'),
    'turn.finished': (event) => words.endTurn(event),
    'tool.started': (event) => calls.start(event),
    'tool.finished': (event) => calls.finish(event),
    'run.finished': (event) => {
      words.end();
      showEnd(screen, event);
    },
  };
  return {
    event(event: Event) {
      // The table pairs each type with its own event; the compiler cannot follow that through the union.
      (views[event.type] as ((event: Event) => void) | undefined)?.(event);
    },
    recall(event) {
      if (event.type === 'message.added' && event.message.origin === 'model') calls.learn(event);
      if (event.type === 'tool.finished') calls.forget(event);
    },
    live: screen.watched
      ? (live: Live) => {
          if (live.type === 'tool.progress') calls.progress(live);
          else words.live(live);
        }
      : undefined,
    note: (text, level = 'info') =>
      screen.line(`${screen.mark(level)}${screen.paint(level === 'warn' ? 'yellow' : 'dim', toPrintable(text))}`),
    settle: () => screen.settle(),
  };
}

/** What the model says. The last message without calls is the answer. */
function createWordsView(screen: Screen) {
  const streamed = { message: '', text: '' };
  let answer = '';
  let shown = false;
  let wasCut = false;
  const begin = () => {
    answer = '';
    shown = false;
    wasCut = false;
  };
  return {
    begin,
    add({ message }: EventOf<'message.added'>) {
      if (message.origin === 'user' || message.origin === 'steer') begin();
      if (message.origin !== 'model') return;
      const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const inFull = streamed.message === message.id && streamed.text === text;
      if (message.parts.some((part) => part.type === 'call')) {
        begin();
        if (inFull) screen.settle();
        else if (text.trim() !== '') screen.line(toPrintable(text.trim()));
        return;
      }
      // A reply that was cut at its token limit goes on in the next message, in mid-word.
      shown = inFull && screen.streamsAnswers && (!wasCut || shown);
      answer = wasCut ? answer + text : text;
    },
    endTurn(event: EventOf<'turn.finished'>) {
      wasCut = event.stopReason === 'max_tokens' || event.stopReason === 'pause_turn';
    },
    end() {
      if (answer !== '' && !shown) screen.answer(answer);
      screen.settle();
      begin();
    },
    live(live: Exclude<Live, { type: 'tool.progress' }>) {
      if (live.type === 'message.discarded') {
        if (live.message !== streamed.message || streamed.text === '') return;
        streamed.message = '';
        streamed.text = '';
        screen.line(`${screen.mark('warn')}that reply broke off`);
      } else if (live.part === 'text') {
        if (live.message !== streamed.message) {
          screen.settle();
          streamed.message = live.message;
          streamed.text = '';
        }
        streamed.text += live.text;
        screen.stream(live.text);
      }
    },
  };
}

/** How the id of the engine's own call begins that ends a run. */
const CHECKPOINT = 'checkpoint-';

/** One line for each call, when it has ended; what is still running stands at the bottom. */
function createCallsView(screen: Screen) {
  const titles = new Map<string, string>();
  const running = new Map<string, string>();
  const show = () => {
    const last = [...running].at(-1);
    if (last === undefined) return screen.status('');
    const [id, tail] = last;
    return screen.status(`… ${titles.get(id) ?? ''}${tail === '' ? '' : `: ${tail}`}`);
  };
  return {
    learn({ message }: EventOf<'message.added'>) {
      for (const part of message.parts) {
        if (part.type === 'call') titles.set(part.id, describeCall(part.name, part.input));
      }
    },
    start(event: EventOf<'tool.started'>) {
      screen.settle();
      running.set(event.call, '');
      show();
    },
    progress(live: Extract<Live, { type: 'tool.progress' }>) {
      const tail = lastLine(live.text);
      if (tail !== '' && live.call.startsWith(CHECKPOINT)) {
        // The answer is complete, but its line is not ended yet.
        screen.settle();
        screen.status(`… ${tail}`);
      }
      if (tail === '' || !running.has(live.call)) return;
      running.set(live.call, tail);
      show();
    },
    forget: (event: EventOf<'tool.finished'>) => titles.delete(event.call),
    finish(event: EventOf<'tool.finished'>) {
      running.delete(event.call);
      const title = titles.get(event.call) ?? event.name;
      titles.delete(event.call);
      const time = screen.paint('dim', formatDuration(event.durationMs));
      const why = event.outcome === 'ok' ? '' : ` ${screen.paint('dim', toReason(event))}`;
      screen.line(`${screen.mark(event.outcome === 'ok' ? 'ok' : 'bad')}${title} ${time}${why}`);
      show();
    },
  };
}

/** Why a call did not end well, in one line. */
function toReason({ outcome, output }: EventOf<'tool.finished'>): string {
  const lines = output.split('\n').filter((one) => one.trim() !== '');
  // Why Klaus ended a command says more than what the command had printed until then. Otherwise the first line does,
  // but for that which is the command itself.
  const stopped = lines.findLast((one) => /^\[(?:limit reached: |ended after .*: time-out)/.test(one));
  const line = stopped?.slice(1, -1) ?? lines.find((one) => !one.startsWith('$ ')) ?? '';
  const isSaid = outcome === 'error' || line.toLowerCase().includes(outcome);
  return toLine(isSaid ? line : `${outcome}: ${line}`, 120);
}

/** Facts that are one line each. */
function createFactViews(screen: Screen): Views {
  const { mark, paint, line } = screen;
  return {
    'session.opened': (event) =>
      line(
        `${mark('info')}${paint('dim', `session ${event.session}, ${event.model}, mode ${event.mode}, sandbox ${event.sandbox}`)}`,
      ),
    'model.attempted': (event) => {
      // A title that failed is nobody's loss.
      if (event.outcome === 'ok' || event.outcome === 'cancelled' || event.purpose === 'title') return;
      const what = toLine(`${event.model}: ${event.message ?? event.outcome.replaceAll('_', ' ')}`, 200);
      const left = event.waitUntil === undefined ? '' : `, for ${formatDuration(event.waitUntil - event.at)} at most`;
      const next = event.retryInMs === undefined ? '' : `; trying again in ${formatDuration(event.retryInMs)}${left}`;
      line(`${mark('warn')}${what}${next}`);
    },
    'approval.answered': (event) =>
      line(
        `${mark(event.answer === 'approved' ? 'ok' : 'warn')}${event.answer}${event.hunks ? ' in part' : ''} by ${toLine(event.by, 60)}`,
      ),
    'usage.counted': (event) => {
      const share = `${Math.round(event.percent)} % of the ${event.limit} limit used`;
      line(`${mark('warn')}${share} (${formatCount(event.used)} of ${formatCount(event.cap)})`);
    },
    'context.compacted': (event) =>
      line(`${mark('info')}${paint('dim', `${formatNumber(event.dropped, 'older message')} replaced by a summary`)}`),
    'context.pinned': (event) => line(`${mark('info')}${paint('dim', `pinned: ${toLine(event.text, 100)}`)}`),
    'process.changed': (event) =>
      line(
        `${mark(event.state === 'lost' ? 'warn' : 'info')}${paint('dim', toLine(describeProcessChange(event), 200))}`,
      ),
    'workspace.restored': (event) => {
      const verb = event.kind === 'redo' ? 'made again' : event.kind === 'review' ? 'not kept' : 'put back';
      line(
        `${mark('info')}${paint('dim', `${formatNumber(event.files, 'path')} ${verb}${event.turns.length > 0 ? ` (turn ${event.turns.join(', ')})` : ''}`)}`,
      );
    },
    'workspace.committed': (event) => {
      const what = `checkpoint ${event.commit.slice(0, 10)} on ${event.ref}, ${formatNumber(event.files, 'file')}`;
      line(`${mark('info')}${paint('dim', toLine(what, 200))}`);
    },
    notice: (event) => line(`${mark(event.level === 'info' ? 'info' : 'warn')}${toPrintable(event.text)}`),
  };
}

function showEnd(screen: Screen, event: EventOf<'run.finished'>): void {
  const { mark, paint, line } = screen;
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

function lastLine(text: string): string {
  return toLine(text.split('\n').findLast((one) => one.trim() !== '') ?? '', 100);
}
