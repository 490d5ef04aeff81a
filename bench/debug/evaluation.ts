import type { Benchmark } from '../benchmark.ts';
import { measure, toModule } from './measure.ts';

const PROGRAM = `
  import { createEvaluator } from ${toModule('evaluate/evaluator.ts')};
  import { createRedactor } from ${toModule('redact/create-redactor.ts')};
  const evaluator = createEvaluator({ context: { list: [1, 2, 3] }, redactor: createRedactor() });
  const take = async (code, readOnly) => {
    const times = [];
    for (let at = 0; at < 40; at++) {
      const begun = performance.now();
      await evaluator.evaluate({ code, readOnly, timeoutMs: 5000 });
      if (at >= 10) times.push(performance.now() - begun);
    }
    return times.sort((a, b) => a - b)[15];
  };
  const result = {
    read: await take('list.map((x) => x * 2)', true),
    copy: await take('({ ...list })', true),
    full: await take('list.map((x) => x * 2)', false),
    stopped: await (async () => {
      const begun = performance.now();
      await evaluator.evaluate({ code: 'for (;;) {}', readOnly: false, timeoutMs: 500 });
      return performance.now() - begun;
    })(),
  };
  evaluator.close();
  console.log(JSON.stringify(result));`;

/** One evaluation inside the process, without the transport. */
export const evaluation: Benchmark = {
  name: 'evaluation',
  async run() {
    const { read, copy, full, stopped } = await measure<Record<'read' | 'copy' | 'full' | 'stopped', number>>(PROGRAM);
    return [
      { name: 'a read-only evaluation, median', value: read, unit: 'ms' },
      { name: 'a read-only evaluation on copies, median', value: copy, unit: 'ms' },
      { name: 'an evaluation with effects, median', value: full, unit: 'ms' },
      { name: 'an endless loop with a limit of 500 ms', value: stopped, unit: 'ms', most: 600 },
    ];
  },
};
