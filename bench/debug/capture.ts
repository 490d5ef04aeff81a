import type { Benchmark } from '../benchmark.ts';
import { measure, toModule } from './measure.ts';

const THROWS = `
  const settings = { retries: 3 };
  function inner(order) { const total = order.items.length; if (total > 0) throw new Error('x'); return total + settings.retries; }
  function middle(id) { const order = { id, items: [1, 2, 3] }; return inner(order); }
  class Service { run(id) { const started = id + 1; return middle(started); } }
  const service = new Service();
  const take = (count) => {
    const times = [];
    for (let at = 0; at < count; at++) {
      const begun = performance.now();
      try { service.run(at); } catch {}
      times.push(performance.now() - begun);
    }
    return times.sort((a, b) => a - b);
  };`;

const toProgram = (arms: boolean, count: number): string => `
  import { arm } from ${toModule('capture/arm.ts')};
  ${THROWS}
  take(50);
  const armed = ${arms ? 'arm({ sample: false })' : 'undefined'};
  take(20);
  const times = take(${count});
  armed?.disarm();
  console.log(JSON.stringify({ p50: times[times.length >> 1], p95: times[Math.floor(times.length * 0.95)] }));`;

/** A throw through three functions and a method. */
export const capture: Benchmark = {
  name: 'capture',
  async run({ quick }) {
    const count = quick ? 200 : 1000;
    const armed = await measure<{ p50: number; p95: number }>(toProgram(true, count));
    const bare = await measure<{ p50: number; p95: number }>(toProgram(false, count));
    const what = 'the same throw, not armed';
    return [
      {
        name: 'a captured throw, 95th percentile',
        value: armed.p95,
        unit: 'ms',
        bare: { value: bare.p95, what },
        most: 4,
      },
      { name: 'a captured throw, median', value: armed.p50, unit: 'ms', bare: { value: bare.p50, what } },
    ];
  },
};
