// Covers apps/terminal/screen: a window that changes its size keeps the conversation, and shows the changing rows once.
import { expect, test } from 'vitest';
import { CURSOR_MARKER, InlineScreen, type Reflow } from '../../apps/terminal/screen/index.ts';
import { createPalette } from '../../apps/terminal/style/palette.ts';
import { type Chance, createChance } from '../undo/chance.ts';
import { hasTmux, openTmux, openXterm, type Window } from './windows.ts';

/** Number of histories and first seed: `RESIZES=3000 RESIZE_SEED=7`. */
const HISTORIES = Number(process.env['RESIZES'] ?? 60);
const SEED = Number(process.env['RESIZE_SEED'] ?? 1);

test('in VS Code, whose terminal keeps the row of the cursor', { timeout: 600_000 }, async () => {
  expect(await playHistories(HISTORIES, { reflows: 'others', open: openXterm, before: 0 })).toBe(HISTORIES);
});

test.runIf(hasTmux)('in tmux, which wraps every row', { timeout: 600_000 }, async () => {
  const count = Math.ceil(HISTORIES / 50);
  expect(await playHistories(count, { reflows: 'all', open: openTmux, before: 60 })).toBe(count);
});

test(
  'a window that is lower than the changing rows shows their end, and each of them once',
  { tags: ['long'], timeout: 600_000 },
  async () => {
    const kind: Kind = { reflows: 'others', open: openXterm, before: 0, lowest: 4 };
    expect(await playHistories(HISTORIES, kind)).toBe(HISTORIES);
  },
);

const WRAPPING = [['VS Code', openXterm] as const, ...(hasTmux ? [['tmux', openTmux] as const] : [])];

test.each(WRAPPING)('a background up to the edge adds no row to a narrower window, in %s', async (_, open) => {
  await using window = await open(80, 40);
  const screen = new InlineScreen(window.terminal, { reflows: 'all', settleMs: 0 });
  screen.addChild({ render: () => ['status'], invalidate: () => {} });
  const { changed, changedEdge } = createPalette('dark');
  screen.start();
  screen.finish(['before', `${changed('added', undefined, '+ a')}${changedEdge('added')}`, 'after']);
  screen.renderNow();
  await window.resize(30, 40);
  screen.renderNow();
  expect(await window.read()).toBe('before\n+ a\nafter\nstatus');
  screen.stop();
});

interface Kind {
  reflows: Reflow;
  open: (columns: number, rows: number) => Promise<Window>;
  /** Finished rows at the beginning. tmux moves the top of a window that is not full to its scrollback. */
  before: number;
  /** Fewest rows of the window. Default 30, in which all changing rows fit. */
  lowest?: number;
}

/** @returns The number of histories after which the window was right. */
async function playHistories(count: number, kind: Kind): Promise<number> {
  let played = 0;
  for (let seed = SEED; seed < SEED + count; seed++) {
    const steps: string[] = [];
    try {
      await playHistory(createChance(seed), kind, steps);
      played += 1;
    } catch (error) {
      throw new Error(`RESIZE_SEED=${seed} repeats it:\n${steps.join('\n')}`, { cause: error });
    }
  }
  return played;
}

async function playHistory(
  chance: Chance,
  { reflows, open, before, lowest = 30 }: Kind,
  steps: string[],
): Promise<void> {
  await using window = await open(80, 40);
  const { terminal } = window;
  const screen = new InlineScreen(terminal, { reflows, settleMs: 0 });
  let footer = ['', '> 0', 'status'];
  screen.addChild({ render: (width) => footer.map((line) => toRow(line, width)), invalidate: () => {} });
  const finished = Array.from({ length: before }, (_, index) => `${index}.`);
  screen.finish(finished);
  screen.start();
  screen.renderNow();
  for (let step = 0; step < 12; step++) {
    const action = chance.number(10);
    if (action < 4) {
      const columns = 20 + chance.number(140);
      const rows = lowest + chance.number(30);
      steps.push(`resize ${columns}x${rows}`);
      await window.resize(columns, rows);
    } else if (action < 7) {
      const line = `${finished.length}:${'x'.repeat(chance.number(60))}.`.slice(0, terminal.columns);
      steps.push(`finish ${line.length}`);
      finished.push(line);
      screen.finish([line]);
    } else {
      footer = ['', ...createInput(chance), `status ${'s'.repeat(chance.number(100))}`];
      steps.push(`footer ${footer.map(({ length }) => length).join(' ')}`);
    }
    screen.renderNow();
    const expected = [...finished, ...footer.map((line) => line.slice(0, terminal.columns - 1).trimEnd())];
    if (lowest === 30) expect(await window.read()).toBe(expected.join('\n'));
    else expect(toFooter(await window.readVisible())).toEqual(toFooter(expected.slice(-terminal.rows)));
  }
  screen.stop();
}

/** The rows of the footer. */
function toFooter(rows: readonly string[]): string[] {
  return rows.filter((row) => /^>|^status/.test(row));
}

function createInput(chance: Chance): string[] {
  const end = chance.number(4) === 0 ? 'z' : '';
  return Array.from(
    { length: 1 + chance.number(4) },
    (_, index) => `> ${index} ${'y'.repeat(chance.number(120))}${end}`,
  );
}

/** A row of the footer, with the cursor at the end of the first row of the input, or none as in a dialog. */
function toRow(line: string, width: number): string {
  const text = line.slice(0, width - 1).trimEnd();
  return line.startsWith('> 0') && !line.endsWith('z') ? `${text}${CURSOR_MARKER}` : text;
}
