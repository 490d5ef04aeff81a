import type { Benchmark } from '../benchmark.ts';
import { measure, toModule } from './measure.ts';

const toProgram = (arms: boolean): string => `
  import { arm } from ${toModule('capture/arm.ts')};
  const best = async (work) => {
    let least = Infinity;
    for (let round = 0; round < 7; round++) {
      const begun = performance.now();
      await work();
      least = Math.min(least, performance.now() - begun);
    }
    return least;
  };
  const awaits = async () => { for (let at = 0; at < 10_000; at++) await at; };
  function fail(list) { throw new Error(String(list.length)); }
  const errors = [];
  const throws = (count) => { for (let at = 0; at < count; at++) try { fail(new Array(1000).fill(at)); } catch (error) { errors.push(error); } };
  await awaits();
  if (${arms}) arm();
  const ms = await best(awaits);
  const begun = performance.now();
  throws(1000);
  const each = (performance.now() - begun) / 1000;
  throws(1000);
  globalThis.gc();
  console.log(JSON.stringify({ ms, each, megabytes: process.memoryUsage().heapUsed / 2 ** 20 }));
  process.exit(0);`;

/** What the debugger costs the program while it is armed. */
export const armed: Benchmark = {
  name: 'armed',
  async run() {
    const [on, off] = [
      await measure<Figures>(toProgram(true), ['--expose-gc']),
      await measure<Figures>(toProgram(false), ['--expose-gc']),
    ];
    const what = 'not armed';
    return [
      { name: '10,000 awaits, armed', value: on.ms, unit: 'ms', bare: { value: off.ms, what } },
      { name: 'each of 1,000 errors, armed', value: on.each, unit: 'ms', bare: { value: off.each, what } },
      {
        name: 'heap with 2,000 errors that are kept, armed',
        value: on.megabytes,
        unit: 'MB',
        bare: { value: off.megabytes, what },
      },
    ];
  },
};

interface Figures {
  ms: number;
  each: number;
  megabytes: number;
}
