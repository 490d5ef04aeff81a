import type { Measure } from './run-agent.ts';
import { type Series, type TaskResult, toValues } from './rounds.ts';
import { type Estimate, toEstimate } from './statistics.ts';

/** How good Klaus has to be at one task. */
interface Bar {
  task: string;
  measure: Measure;
  /** `ratio`: Klaus beside a peer; `value`: Klaus alone. */
  of: 'ratio' | 'value';
  /** Name of that peer. Default: the best at this measure. */
  peer?: string;
  /** The most that is allowed; for `reuse` the least. */
  limit: number;
}

const BARS: readonly Bar[] = [
  { task: 'one-tool', measure: 'cpu', of: 'ratio', limit: 1 },
  { task: 'one-tool', measure: 'wall', of: 'ratio', limit: 0.9 },
  { task: 'one-tool', measure: 'memory', of: 'ratio', limit: 0.95 },
  { task: 'one-tool', measure: 'nextRequest', of: 'ratio', limit: 0.6 },
  { task: 'one-tool', measure: 'firstBytes', of: 'value', limit: 8_000 },
  { task: 'slow-model', measure: 'nextRequest', of: 'value', limit: 320 },
  { task: 'turns', measure: 'reuse', of: 'value', limit: 1 },
  { task: 'turns', measure: 'wall', of: 'ratio', peer: 'pi', limit: 1 },
  { task: 'turns', measure: 'wall', of: 'ratio', peer: 'codex', limit: 0.5 },
  { task: 'deltas', measure: 'cpu', of: 'ratio', limit: 1 },
  { task: 'deltas', measure: 'memory', of: 'ratio', limit: 1 },
  { task: 'deltas', measure: 'wall', of: 'ratio', peer: 'codex', limit: 1 },
  { task: 'big-output', measure: 'memory', of: 'ratio', limit: 0.9 },
  { task: 'big-output', measure: 'wall', of: 'ratio', peer: 'codex', limit: 1 },
];

export interface Verdict {
  bar: Bar;
  /** The ratio or the value that is held against the limit. */
  figure: Estimate;
  /** The peer beside which Klaus is, where there is a ratio. */
  best: string | undefined;
  isMet: boolean;
}

/** What became of the bars of one task; nothing for a bar that has no figures to go by. */
export function toVerdicts({ task, series }: TaskResult): Verdict[] {
  const klaus = series.find(({ agent }) => agent.name === 'klaus');
  if (klaus === undefined) return [];
  const peers = series.filter((each) => each !== klaus);
  return BARS.filter((bar) => bar.task === task.name).flatMap((bar): Verdict[] => {
    if (bar.of === 'value') {
      const values = known(toValues(klaus, bar.measure));
      if (values.length === 0) return [];
      const figure = toEstimate(values);
      const isMet = bar.measure === 'reuse' ? figure.median >= bar.limit : figure.median <= bar.limit;
      return [{ bar, figure, best: undefined, isMet }];
    }
    const best =
      bar.peer === undefined ? findBest(peers, bar.measure) : peers.find(({ agent }) => agent.name === bar.peer);
    const ratios = best ? toRatios(klaus, best, bar.measure) : [];
    if (best === undefined || ratios.length === 0) return [];
    const figure = toEstimate(ratios);
    return [{ bar, figure, best: best.agent.title, isMet: figure.median <= bar.limit }];
  });
}

/** The one with the lowest median. */
function findBest(peers: readonly Series[], measure: Measure): Series | undefined {
  const medians = peers.flatMap((series) => {
    const values = known(toValues(series, measure));
    return values.length === 0 ? [] : [{ series, median: toEstimate(values).median }];
  });
  return medians.toSorted((a, b) => a.median - b.median)[0]?.series;
}

/** One ratio for each round in which both have run. */
function toRatios(one: Series, other: Series, measure: Measure): number[] {
  const below = toValues(other, measure);
  return toValues(one, measure).flatMap((value, round) => {
    const divisor = below[round];
    return value === undefined || divisor === undefined ? [] : [value / divisor];
  });
}

export function known(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined);
}
