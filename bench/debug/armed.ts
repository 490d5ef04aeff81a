import type { Benchmark } from '../benchmark.ts';
import { measure, toModule } from './measure.ts';

const AWAITS = `
  import { Session } from 'node:inspector';
  import { arm } from ${toModule('capture/arm.ts')};
  const awaits = async () => { for (let at = 0; at < 10_000; at++) await at; };
  const attach = (depth) => {
    const session = new Session();
    session.connect();
    session.post('Debugger.enable');
    if (depth > 0) session.post('Debugger.setAsyncCallStackDepth', { maxDepth: depth });
    return () => session.disconnect();
  };
  const states = {
    off: () => () => {},
    bare: () => attach(0),
    stacks: () => attach(8),
    armed: () => { const { disarm } = arm(); return disarm; },
  };
  const times = Object.fromEntries(Object.keys(states).map((name) => [name, []]));
  for (let round = -3; round < 15; round++)
    for (const [name, open] of Object.entries(states)) {
      const close = open();
      const begun = performance.now();
      await awaits();
      if (round >= 0) times[name].push(performance.now() - begun);
      close();
      await new Promise(setImmediate);
    }
  for (const list of Object.values(times)) list.sort((a, b) => a - b);
  console.log(JSON.stringify(Object.fromEntries(Object.entries(times).map(([name, list]) => [name, list[7]]))));
  process.exit(0);`;

const toThrows = (arms: string): string => `
  import { arm } from ${toModule('capture/arm.ts')};
  function fail(list) { throw new Error(String(list.length)); }
  const errors = [];
  const throws = (count) => { for (let at = 0; at < count; at++) try { fail(new Array(1000).fill(at)); } catch (error) { errors.push(error); } };
  ${arms};
  const begun = performance.now();
  throws(1000);
  const each = (performance.now() - begun) / 1000;
  throws(1000);
  globalThis.gc();
  console.log(JSON.stringify({ each, megabytes: process.memoryUsage().heapUsed / 2 ** 20 }));
  process.exit(0);`;

/** What the debugger costs the program while it is armed. */
export const armed: Benchmark = {
  name: 'armed',
  async run() {
    const awaits = await measure<Record<'off' | 'bare' | 'stacks' | 'armed', number>>(AWAITS);
    const [sampled, every, off] = [
      await measure<Figures>(toThrows('arm()'), ['--expose-gc']),
      await measure<Figures>(toThrows('arm({ sample: false })'), ['--expose-gc']),
      await measure<Figures>(toThrows(''), ['--expose-gc']),
    ];
    const what = 'not armed';
    const session = { value: awaits.bare, what: 'an inspector session with `Debugger.enable` and nothing else' };
    const unarmed = { value: awaits.off, what };
    const throws = { value: off.each, what };
    return [
      { name: '10,000 awaits, armed, median', value: awaits.armed, unit: 'ms', bare: unarmed, most: { times: 4 } },
      { name: '10,000 awaits, armed, median', value: awaits.armed, unit: 'ms', bare: session, most: { times: 1.25 } },
      {
        name: '10,000 awaits, an inspector session with `Debugger.enable` and nothing else, median',
        value: awaits.bare,
        unit: 'ms',
        bare: unarmed,
      },
      {
        name: '10,000 awaits, the same with `Debugger.setAsyncCallStackDepth`, which `arm()` does not use',
        value: awaits.stacks,
        unit: 'ms',
        bare: unarmed,
      },
      { name: 'each of 1,000 errors of one place, armed', value: sampled.each, unit: 'ms', bare: throws, most: 0.1 },
      {
        name: 'each of 1,000 errors of one place, `arm({ sample: false })`',
        value: every.each,
        unit: 'ms',
        bare: throws,
      },
      {
        name: 'heap with 2,000 errors that are kept, `arm({ sample: false })`',
        value: every.megabytes,
        unit: 'MB',
        bare: { value: off.megabytes, what },
      },
    ];
  },
};

interface Figures {
  each: number;
  megabytes: number;
}
