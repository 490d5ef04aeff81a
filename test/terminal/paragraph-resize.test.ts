// Covers apps/terminal/screen, apps/terminal/view: a paragraph that is streamed while its window changes is in the scrollback once.
import { expect, test } from 'vitest';
import { CURSOR_MARKER, InlineScreen, type Reflow } from '../../apps/terminal/screen/index.ts';
import { addLive, createSessionView } from '../../apps/terminal/session/session-view.ts';
import { Transcript } from '../../apps/terminal/view/transcript.ts';
import { createViewStyle } from '../../apps/terminal/view/view-style.ts';
import { type Chance, createChance } from '../undo/chance.ts';
import { hasTmux, openCutting, openTmux, openXterm, type Window } from './windows.ts';

/** Columns and rows of the smallest window. In a lower one, rows of an unfinished text can be there twice. */
const NARROW = 20;
const LOW = 10;

/** Number of histories and first seed: `PARAGRAPHS=1000 PARAGRAPH_SEED=7`. */
const HISTORIES = Number(process.env['PARAGRAPHS'] ?? 10);
const SEED = Number(process.env['PARAGRAPH_SEED'] ?? 1);
const TIMEOUT = { timeout: 3_600_000 };

test('in VS Code, whose terminal keeps the row of the cursor', TIMEOUT, async () => {
  expect(await playHistories(HISTORIES, { reflows: 'others', open: openXterm })).toEqual([]);
});

test.runIf(hasTmux)('in tmux, which wraps every row, and reports a size later', TIMEOUT, async () => {
  const kind: Kind = { reflows: 'all', open: openTmux, isLate: true };
  expect(await playHistories(Math.ceil(HISTORIES / 5), kind)).toEqual([]);
});

test('in a terminal that wraps no row', TIMEOUT, async () => {
  expect(await playHistories(HISTORIES, { reflows: 'none', open: openCutting, isWider: true })).toEqual([]);
});

interface Kind {
  reflows: Reflow;
  open: (columns: number, rows: number) => Promise<Window>;
  /** The window can have changed before frames of the size before arrive. */
  isLate?: true;
  /** The window never becomes narrower: the terminal itself cuts what is finished. */
  isWider?: true;
}

/** @returns The histories after which the window was wrong. */
async function playHistories(count: number, kind: Kind): Promise<string[]> {
  const wrong: string[] = [];
  for (let seed = SEED; seed < SEED + count; seed++) {
    const steps: string[] = [];
    try {
      await playHistory(createChance(seed), kind, steps);
    } catch (error) {
      wrong.push(`PARAGRAPH_SEED=${seed}: ${steps.join(', ')}: ${String(error).slice(0, 300)}`);
    }
  }
  return wrong;
}

async function playHistory(chance: Chance, kind: Kind, steps: string[]): Promise<void> {
  let columns = 40 + chance.number(90);
  let rows = LOW + chance.number(38);
  await using window = await kind.open(columns, rows);
  steps.push(`${columns}x${rows}`);
  const { terminal } = window;
  const screen = new InlineScreen(terminal, { reflows: kind.reflows, settleMs: 0 });
  const view = createSessionView('session');
  const transcript = new Transcript(screen, { style: createViewStyle('dark'), now: () => 0, view });
  let footer = ['', '⠋ Writing · 3s · Esc cancels', '> ', ' mode ask · main'];
  screen.addChild(transcript);
  screen.addChild({ render: (width) => footer.map((line) => toFooterRow(line, width)), invalidate: () => {} });
  // A window that is nearly empty, or full.
  for (let line = chance.pick([0, 4, 8, 60]); line > 0; line--) transcript.note(`note ${line}`);
  screen.start();
  screen.renderNow();
  const stream = createStream(chance, (text, offset) =>
    addLive(view, { type: 'message.delta', session: 'session', message: 'm', part: 'text', offset, text }),
  );
  const resize = (): [number, number] => {
    columns = kind.isWider ? Math.min(200, columns + chance.number(30)) : NARROW + chance.number(120);
    rows = LOW + chance.number(38);
    steps.push(`${columns}x${rows}`);
    return [columns, rows];
  };
  for (let step = 0; step < 25; step++) {
    const action = chance.number(10);
    if (action < 5) stream.write();
    else if (action < 6) {
      footer = [...footer.slice(0, 2), `> ${'d'.repeat(chance.number(60))}`, footer[3]!];
    } else {
      for (let sizes = chance.number(3); sizes > 0; sizes--) {
        await window.resize(...resize());
        screen.noteSize();
      }
      if (kind.isLate && chance.percent(40)) {
        await window.resizeUnseen(...resize());
        for (let frames = 1 + chance.number(3); frames > 0; frames--) {
          stream.write();
          footer = [footer[0]!, `⠙ Writing · ${step}.${frames}s · Esc cancels`, ...footer.slice(2)];
          steps.push('late frame');
          screen.renderNow();
        }
      } else resize();
      await window.resize(columns, rows);
    }
    screen.renderNow();
    const numbers = toNumbers(await window.read());
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
  }
  stream.end();
  // The answer is complete.
  view.inFlight.messages.clear();
  view.conversation.entries.push({ kind: 'model', id: 'm', seq: 1, at: 0, turn: 1, text: stream.text, thinking: '' });
  footer = ['', `> draft ${steps.length}`, ' mode ask · main'];
  screen.renderNow();
  const shown = await window.read();
  expect(toNumbers(shown)).toEqual(Array.from({ length: stream.count }, (_, index) => index));
  expect(shown.match(/ mode ask/g)).toHaveLength(1);
  const { column, row } = await window.readCursor();
  expect((await window.readVisible())[row]!.slice(0, column)).toBe(footer[1]);
  screen.stop();
}

/** Numbers of the words that a text contains. A row that is finished in haste ends in a word. */
function toNumbers(shown: string): number[] {
  return [...shown.replaceAll(/\n */g, '').matchAll(/w(\d{4})/g)].map(([, number]) => Number(number));
}

/** A paragraph of numbered words, some of which are in marks of Markdown, in pieces that break them. */
function createStream(chance: Chance, send: (text: string, offset: number) => void) {
  let text = chance.pick(['', '', '- an item\n- another\n\n', '## A title\n\n', 'A paragraph.\n\n']);
  let sent = 0;
  let count = 0;
  const add = (): void => {
    const words = Array.from({ length: 1 + chance.number(4) }, () => `w${String(count++).padStart(4, '0')}`);
    const [begin, end] = chance.pick([
      ['', ''],
      ['', ''],
      ['', ''],
      ['**', '**'],
      ['`', '`'],
      ['*', '*'],
      ['(', '),'],
      ['- ', ''],
    ]);
    text += `${/^$|\n$/.test(text) ? '' : chance.percent(5) ? '\n' : ' '}${begin}${words.join(' ')}${end}`;
  };
  const deliver = (to: number): void => {
    if (to > sent) send(text.slice(sent, to), sent);
    sent = Math.max(sent, to);
  };
  return {
    get count() {
      return count;
    },
    get text() {
      return text;
    },
    write(): void {
      for (let words = 1 + chance.number(30); words > 0; words--) add();
      deliver(text.length - chance.number(8));
    },
    end(): void {
      add();
      deliver(text.length);
    },
  };
}

/** A row of the footer, with the cursor at the end of the input. */
function toFooterRow(line: string, width: number): string {
  const text = line.slice(0, width - 1).trimEnd();
  return line.startsWith('>') ? `${text}${CURSOR_MARKER}` : text;
}
