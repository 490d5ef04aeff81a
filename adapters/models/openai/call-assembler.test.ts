import { expect, test } from 'vitest';
import { createCallIds } from '../wire/call-ids.ts';
import { CallAssembler } from './call-assembler.ts';

const CALLS = [
  { name: 'read_file', input: { path: 'a.txt' } },
  { name: 'read_file', input: { path: 'b.txt' } },
  { name: 'write_file', input: { content: '}{"\\', lines: [1, [2]] } },
  { name: 'roll_die', input: {} },
  { name: 'roll_die', input: {} },
];

/** How a server marks the pieces of calls. */
interface Dialect {
  index: 'counted' | 'zero' | 'missing';
  id: 'first' | 'each' | 'none' | 'new in each';
  name: 'first' | 'each';
  /** True: the first piece has the arguments' first characters too. */
  isFull: boolean;
  /** Characters of arguments in a piece. */
  size: number;
}

function* dialects(): Iterable<Dialect> {
  for (const index of ['counted', 'zero', 'missing'] as const)
    for (const id of ['first', 'each', 'none', 'new in each'] as const)
      for (const name of ['first', 'each'] as const)
        for (const isFull of [true, false])
          for (const size of [1, 3, 1_000]) {
            // Nothing distinguishes a piece of a call from the begin of another one.
            if (id === 'new in each' && name === 'each' && (index !== 'counted' || !isFull)) continue;
            // A call that has begun without arguments looks like one that has none.
            if (id === 'none' && index !== 'counted' && !isFull) continue;
            yield { index, id, name, isFull, size };
          }
}

function* toDeltas({ index, id, name, isFull, size }: Dialect): Iterable<object> {
  let made = 0;
  for (const [at, call] of CALLS.entries()) {
    const text = JSON.stringify(call.input);
    const pieces = text.match(new RegExp(`.{1,${size}}`, 'gs'))!;
    for (const [turn, part] of (isFull ? pieces : ['', ...pieces]).entries()) {
      const hasId = id === 'each' || id === 'new in each' || (id === 'first' && turn === 0);
      yield {
        ...(index !== 'missing' && { index: index === 'zero' ? 0 : at }),
        ...(hasId && { id: id === 'new in each' ? `new_${made++}` : `call_${at}` }),
        function: { arguments: part, ...((name === 'each' || turn === 0) && { name: call.name }) },
      };
    }
  }
}

test.each([...dialects()])('%o', (dialect) => {
  const calls = new CallAssembler();
  const events = [...toDeltas(dialect)].flatMap((delta) => calls.take(delta));
  const parts = calls.finish(createCallIds([]));
  expect(parts.map((part) => part.type === 'call' && { name: part.name, input: part.input })).toEqual(CALLS);
  expect(calls.isComplete).toBe(true);
  // The deltas of each call are its arguments.
  const texts = CALLS.map((_, at) =>
    events.map((event) => ('index' in event && event.index === at ? event.text : '')).join(''),
  );
  expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual(CALLS.map(({ input }) => input));
});
