import type { Benchmark } from '../benchmark.ts';
import { interleave } from '../measure.ts';
import { measure, toModule } from './measure.ts';

const LIBRARY = `await import(${toModule('index.ts')}); await import(${toModule('capture/arm.ts')});`;
const AWAITS = `
  const add = async (value) => value + 1;
  let sum = 0;
  for (let at = 0; at < 200_000; at++) sum = await add(sum);`;
const ALLOCATIONS = `
  const kept = [];
  for (let at = 0; at < 1_000_000; at++) kept[at % 1000] = { at, text: 'x' + at };`;
/** The best of some rounds: what the import leaves behind to compile and to collect is no cost of the library later. */
const toProgram = (before: string, work: string): string => `${before}
  let best = Infinity;
  for (let round = 0; round < 7; round++) {
    const begun = performance.now();
    ${work}
    best = Math.min(best, performance.now() - begun);
  }
  console.log(best);`;

/** The imported library that is not armed, beside the program without it. */
export const unarmed: Benchmark = {
  name: 'unarmed',
  async run({ quick }) {
    const taken = await interleave(
      {
        awaits: () => measure(toProgram(LIBRARY, AWAITS)),
        bareAwaits: () => measure(toProgram('', AWAITS)),
        allocations: () => measure(toProgram(LIBRARY, ALLOCATIONS)),
        bareAllocations: () => measure(toProgram('', ALLOCATIONS)),
      },
      quick ? 5 : 21,
    );
    const what = 'without the import';
    return [
      {
        name: '200,000 awaits, not armed, median',
        value: taken.awaits,
        unit: 'ms',
        bare: { value: taken.bareAwaits, what },
        most: { times: 1.1 },
      },
      {
        name: 'a million allocations, not armed, median',
        value: taken.allocations,
        unit: 'ms',
        bare: { value: taken.bareAllocations, what },
        most: { times: 1.1 },
      },
    ];
  },
};
