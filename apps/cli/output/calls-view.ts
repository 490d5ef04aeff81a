import { findOwnWork, type EventOf, type Live } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { describeCall, formatDuration } from '@klaus/sdk/transcript';
import type { Screen } from './screen.ts';

/** One line for each call that has ended; the bottom line shows a running one. */
export function createCallsView(screen: Screen) {
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
        if (part.type !== 'call') continue;
        const by = message.origin === 'shell' ? ', entered by the user' : '';
        titles.set(part.id, `${describeCall(part.name, part.input)}${by}`);
      }
    },
    start(event: EventOf<'tool.started'>) {
      screen.settle();
      running.set(event.call, '');
      show();
    },
    progress(live: Extract<Live, { type: 'tool.progress' }>) {
      const tail = toLastLine(live.text);
      if (tail !== '' && findOwnWork(live.call) !== undefined) {
        // The answer is complete, but its line has not ended yet.
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

/** Why a call did not succeed, in one line. */
function toReason({ outcome, output }: EventOf<'tool.finished'>): string {
  const lines = output.split('\n').filter((one) => one.trim() !== '');
  // Why Klaus ended a command is more important than its output until then. Otherwise the first line of the output
  // is shown, after the command itself.
  const stopped = lines.findLast((one) => /^\[(?:limit reached: |ended after .*: time-out)/.test(one));
  // The exit code of a command whose changes were not applied explains nothing.
  const isReason = (one: string): boolean =>
    !one.startsWith('$ ') && (outcome === 'error' || !/^\[exit code \d+\]$/.test(one));
  const line = stopped?.slice(1, -1) ?? lines.find(isReason) ?? '';
  const isNamed = outcome === 'error' || line.toLowerCase().includes(outcome);
  return toLine(isNamed ? line : `${outcome}: ${line}`, 120);
}

function toLastLine(text: string): string {
  return toLine(text.split('\n').findLast((one) => one.trim() !== '') ?? '', 100);
}
