import { createConversation } from '@klaus/sdk/conversation';
import { expect, test } from 'vitest';
import { visibleWidth } from '../screen/index.ts';
import { createPalette } from '../style/palette.ts';
import { STATUS_ITEMS, type StatusItem } from '../preferences.ts';
import { type StatusFacts, toStatusLine } from './status-line.ts';

const MODES = ['plan', 'ask', 'edits', 'auto'];

function toLine(facts: Partial<StatusFacts>, items: readonly StatusItem[], width: number): string {
  const given = {
    conversation: createConversation('01KE000000000000000SESSION'),
    model: 'anthropic/claude-sonnet-5-5',
    mode: 'ask',
    agent: 'klaus',
    branch: 'a-branch-with-a-long-name',
    folder: '/home/ann/projects/shop',
    hint: '',
    ...facts,
  };
  return toStatusLine(given, items, { width, palette: createPalette('dark') });
}

const toText = (line: string): string => line.replaceAll(/\u001b\[[\d;]*m/g, '');

test('the mode is complete at every width, with every hint, and in a list without it', () => {
  for (const mode of MODES) {
    for (const hint of ['', 'Ctrl-C again leaves; Esc cancels the run']) {
      for (const items of [STATUS_ITEMS, ['session', 'folder', 'branch']] as const) {
        for (const width of [24, 46, 80, 200]) {
          const line = toLine({ mode, hint }, items, width);
          expect(toText(line)).toContain(`mode ${mode}`);
          expect(visibleWidth(line)).toBeLessThanOrEqual(width);
        }
      }
    }
  }
});

test('each mode has a colour of its own, which is not that of the other items', () => {
  const styles = MODES.map((mode) => toLine({ mode }, [], 46).split(mode)[0]!.split('mode ')[1]!);
  expect(new Set(styles).size).toBe(MODES.length);
  const [muted] = createPalette('dark').muted('x').split('x');
  for (const style of styles) expect(style.replace(/^\u001b\[39m/, '')).not.toBe(muted);
  for (const style of styles) expect(style).toMatch(/\u001b\[[\d;]+m$/);
});

test('an agent other than Klaus itself is shown first', () => {
  expect(toText(toLine({ agent: 'lead' }, ['model', 'mode'], 80))).toMatch(/^ lead · claude-\S+ · mode ask$/);
  expect(toText(toLine({}, ['model', 'mode'], 80))).toMatch(/^ claude-\S+ · mode ask$/);
});

test('a cost that is known only up to what is held has its sign', () => {
  const conversation = { ...createConversation('01KE000000000000000SESSION'), turns: 1, usd: 0.03 };
  const shown = (held: number): string =>
    toText(toLine({ conversation: { ...conversation, held: { tokens: 0, usd: held } } }, ['cost'], 80));
  expect(shown(0.15)).toContain('≤ $0.18');
  expect(shown(0)).not.toContain('≤');
});
