import type { Event, EventOf, EventType, Live } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { describeFact, formatNumber } from '@klaus/sdk/transcript';
import { createAnswerView } from './answer-view.ts';
import { createCallsView } from './calls-view.ts';
import type { Output } from './output.ts';
import { createScreen, type Screen } from './screen.ts';

/** The types of events with a view of their own. Others are shown as facts. */
type Views = { readonly [T in EventType]?: (event: EventOf<T>) => void };

/**
 * A run for people: progress on standard error, the final answer on standard output. On a terminal, the text of the
 * model is streamed, and the bottom line shows what is running.
 */
export function createTextOutput(options: Parameters<typeof createScreen>[0]): Output {
  const screen = createScreen(options);
  const answer = createAnswerView(screen);
  const calls = createCallsView(screen);
  const views: Views = {
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
      showFacts(screen, event);
    },
  };
  return {
    event(event: Event) {
      // The table pairs each type with its own event, which the compiler cannot follow through the union.
      const view = views[event.type] as ((event: Event) => void) | undefined;
      if (view) view(event);
      else showFacts(screen, event);
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

function showFacts({ mark, paint, line }: Screen, event: Event): void {
  for (const { mark: kind, text, detail } of describeFact(event)) {
    const words = [
      ...(text === '' ? [] : [kind === 'info' ? paint('dim', text) : text]),
      ...(detail === undefined ? [] : [paint('dim', detail)]),
    ];
    line(`${mark(kind)}${words.join(' ')}`);
  }
}
