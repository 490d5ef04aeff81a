import type { Benchmark } from '../benchmark.ts';
import { measure, toModule } from './measure.ts';
import { measurePython } from './large-python.ts';

const toProgram = (make: string, code: string): string => `
  import { createEvaluator } from ${toModule('evaluate/evaluator.ts')};
  import { createRedactor } from ${toModule('redact/create-redactor.ts')};
  import { createLiveSubject } from ${toModule('server/live-subject.ts')};
  import { keepCapture } from ${toModule('capture/capture.ts')};
  const list = Array.from({ length: 1_000_000 }, (_, i) => ({ i }));
  const value = ${make};
  const redactor = createRedactor({ env: {} });
  const error = new Error('x');
  keepCapture(error, [{ filePath: '/x.js', line: 1, column: 1, functionName: 'f', locals: new Map([['value', value]]) }]);
  let begun = performance.now();
  const subject = createLiveSubject({ error, context: {}, redactor });
  const [node] = subject.tree(0, { path: undefined, depth: 2 });
  const locals = performance.now() - begun;
  if (node.size !== 1_000_000 || node.omitted !== 999_950) throw new Error(JSON.stringify(node).slice(0, 500));
  const evaluator = createEvaluator({ context: {}, redactor });
  await evaluator.evaluate({ code: '1', readOnly: true, timeoutMs: 5000 });
  begun = performance.now();
  const { result } = await evaluator.evaluate({ code: ${JSON.stringify(code)}, locals: subject.locals(0), readOnly: true, timeoutMs: 60_000 });
  const filter = performance.now() - begun;
  if (result !== '2') throw new Error(result);
  evaluator.close();
  console.log(JSON.stringify({ locals, filter }));
  process.exit(0);`;

const VALUES: Readonly<Record<string, readonly [make: string, code: string]>> = {
  'an Array': ['list', 'value.filter((x) => x.i > 999997).length'],
  'a Map': ['new Map(list.map((x) => [x.i, x]))', '[...value].filter(([key, x]) => x.i > 999997).length'],
  'a Set': ['new Set(list)', '[...value].filter((x) => x.i > 999997).length'],
  'a typed array': ['Float64Array.from(list, ({ i }) => i)', '[...value].filter((x) => x > 999997).length'],
  'an object': [
    'Object.fromEntries(list.map((x) => ["k" + x.i, x]))',
    'Object.values(value).filter((x) => x.i > 999997).length',
  ],
};

/** Values of a million entries. */
export const large: Benchmark = {
  name: 'large',
  async run() {
    const rows = [];
    for (const [name, [make, code]] of Object.entries(VALUES)) {
      const { locals, filter } = await measure<Figures>(toProgram(make, code));
      rows.push({ name: `one filter over ${name} with 10⁶ entries`, value: filter, unit: 'ms', most: 2000 } as const);
      rows.push({ name: `\`locals\` of ${name} with 10⁶ entries`, value: locals, unit: 'ms', most: 1000 } as const);
    }
    return [...rows, ...(await measurePython())];
  },
};

interface Figures {
  locals: number;
  filter: number;
}
