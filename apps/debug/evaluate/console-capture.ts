/* oxlint-disable typescript/unbound-method -- functions of the runtime are kept and called with Reflect.apply. */
import { headOf } from '../render/cut-text.ts';
import type { ConsoleEntry } from '../contract/index.ts';
import { formatValue, type Mask } from '../render/format-value.ts';

const LEVELS = 'log info warn error debug trace dir table group groupCollapsed assert'.split(' ');
const ENTRIES = 1000;
const CHARACTERS = 8000;

export interface Captured {
  console: object;
  print: (printed: { level: string; values: unknown[] }) => void;
  take: () => ConsoleEntry[];
}

/** A `console` for evaluated code, whose lines are kept instead of printed. */
export function createConsole(mask: Mask): Captured {
  let entries: ConsoleEntry[] = [];
  const write = (level: string, values: unknown[]): void => {
    if (entries.length >= ENTRIES) return;
    const text = values
      .map((value) => (typeof value === 'string' ? mask.text(value) : formatValue(value, { mask, depth: 3 })))
      .join(' ');
    entries.push({ seq: entries.length + 1, level, text: headOf(mask.text(text), CHARACTERS) });
  };
  const methods = LEVELS.map((level) => [level, (...values: unknown[]) => write(level, values)] as const);
  const silent = 'groupEnd time timeEnd timeLog count countReset clear'
    .split(' ')
    .map((name) => [name, () => {}] as const);
  return {
    console: Object.fromEntries([...methods, ...silent]),
    print: ({ level, values }) => write(level, values),
    take() {
      const taken = entries;
      entries = [];
      return taken;
    },
  };
}

/** What the program prints from now on. */
export function recordOutput(mask: Mask): { entries(since: number): ConsoleEntry[]; end(): void } {
  const entries: ConsoleEntry[] = [];
  let seq = 0;
  const ends = (['stdout', 'stderr'] as const).map((level) => {
    const stream = process[level];
    const found = Object.getOwnPropertyDescriptor(stream, 'write');
    const original = stream.write;
    const write = function (this: unknown, ...values: unknown[]) {
      const [chunk] = values;
      const text = typeof chunk === 'string' ? chunk : chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : '';
      if (text !== '') entries.push({ seq: ++seq, level, text: headOf(text, CHARACTERS) });
      if (entries.length > ENTRIES) entries.shift();
      return Reflect.apply(original, stream, values) as boolean;
    };
    stream.write = write;
    return () => {
      // Something else may have replaced it since.
      if (stream.write !== write) return;
      if (found) Object.defineProperty(stream, 'write', found);
      else Reflect.deleteProperty(stream, 'write');
    };
  });
  return {
    entries: (since) =>
      entries.filter((entry) => entry.seq > since).map((entry) => ({ ...entry, text: mask.text(entry.text) })),
    end: () => ends.forEach((end) => end()),
  };
}
