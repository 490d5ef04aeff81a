import { expect, test } from 'vitest';
import { toVerdicts } from './bars.ts';
import { toPage } from './page.ts';
import { toSection } from './report.ts';
import type { TaskResult } from './rounds.ts';
import type { Measurement } from './run-agent.ts';
import { TASKS } from './task.ts';

const task = TASKS.find(({ name }) => name === 'one-tool')!;

function toSeries(name: string, rounds: (Partial<Measurement> | undefined)[]): TaskResult['series'][number] {
  const agent = { name, title: name.toUpperCase(), version: '1', command: [], files: () => ({}), env: () => ({}) };
  const complete = { cpu: 100, wall: 100, firstRequest: 10, nextRequest: 10, firstBytes: 7_000, reuse: 1 };
  return { agent, rounds: rounds.map((round) => round && { ...complete, ...round }) };
}

const verdictsOf = (...series: TaskResult['series']) => toVerdicts({ task, series, leftOut: [] });
const find = (verdicts: ReturnType<typeof toVerdicts>, measure: string) =>
  verdicts.find(({ bar }) => bar.measure === measure)!;

test('Klaus is held against the best peer of each figure, round by round', () => {
  const verdicts = verdictsOf(
    toSeries('klaus', [{ cpu: 90 }, { cpu: 400 }, undefined, { memory: 50, cpu: 9_999 }]),
    toSeries('quick', [{ cpu: 100, nextRequest: 40 }, { cpu: 200, nextRequest: 40 }, { cpu: 1 }, { memory: 80 }]),
    toSeries('slow', [{ cpu: 900 }, { cpu: 900 }, { cpu: 900 }, { memory: 60 }]),
  );
  // 0.9 and 2: the third round has no pair, and what the run took while its memory was watched does not count.
  expect(find(verdicts, 'cpu')).toMatchObject({ best: 'QUICK', figure: { median: 1.45 }, isMet: false });
  expect(find(verdicts, 'memory')).toMatchObject({ best: 'SLOW', isMet: true });
  expect(find(verdicts, 'nextRequest')).toMatchObject({ best: 'SLOW', figure: { median: 1 }, isMet: false });
  expect(find(verdicts, 'firstBytes')).toMatchObject({ best: undefined, figure: { median: 7_000 }, isMet: true });
});

test('without a peer only what needs none is judged', () => {
  expect(verdictsOf(toSeries('klaus', [{}])).map(({ bar }) => bar.measure)).toEqual(['firstBytes']);
  expect(verdictsOf(toSeries('quick', [{}]))).toEqual([]);
});

test('a section names who is left out and why, and lists each bar', () => {
  const series = [toSeries('klaus', [{ cpu: 1_000 }]), toSeries('quick', [{ cpu: 2_000 }])];
  const section = toSection({ task, series, leftOut: [{ title: 'Other', reason: 'it could not be fetched' }] });
  expect(section).toContain('Other is left out: it could not be fetched.');
  expect(section).toMatch(/\| KLAUS 1 +\| +1\.00 \|/);
  expect(section).toMatch(/\| CPU s +\| +≤ 1\.00 × QUICK \| +0\.50 × \| +met \|/);
  expect(section).toMatch(/\| wall s +\| +≤ 0\.90 × QUICK \| +1\.00 × \| +\*\*missed\*\* \|/);
});

test('a page takes new sections and keeps the others, in the order of the tasks', () => {
  const first = toPage('', [{ name: 'deltas', markdown: '## Deltas\n\nfirst figures' }]);
  const second = toPage(first, [{ name: 'one-tool', markdown: '## One' }]);
  expect(second.indexOf('## One')).toBeLessThan(second.indexOf('## Deltas'));
  expect(second).toContain('first figures');
  const third = toPage(second, [{ name: 'deltas', markdown: '## Deltas\n\nsecond figures' }]);
  expect(third).toContain('second figures');
  expect(third).not.toContain('first figures');
  expect(toPage(third, [])).toBe(third);
});
