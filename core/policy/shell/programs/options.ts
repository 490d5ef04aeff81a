import type { Word } from '../expansion/word.ts';

export interface Options {
  /** Flags as written, without their values: `-r`, `--force`. Joined short flags are separated. */
  flags: Set<string>;
  /** Values of the options that take one, by flag; the last one wins. */
  values: Map<string, Word>;
  /** All values, in order. */
  all: { flag: string; value: Word }[];
  /** The words that are not options. */
  rest: Word[];
}

/**
 * Reads options by the usual conventions.
 *
 * @param args Without the command itself.
 * @param valued Flags that take a value: `-o`, `--output`. A long one also reads `--output=x`.
 * @param stopEarly Stop at the first word that is not an option, as wrappers do.
 */
export function readOptions(args: readonly Word[], valued: readonly string[] = [], stopEarly = false): Options {
  const out: Options = { flags: new Set(), values: new Map(), all: [], rest: [] };
  const put = (flag: string, value: Word) => {
    out.flags.add(flag);
    out.values.set(flag, value);
    out.all.push({ flag, value });
  };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      out.rest.push(...args.slice(at + 1));
      break;
    }
    if (!arg.startsWith('-') || arg === '-') {
      if (stopEarly) {
        out.rest.push(...args.slice(at));
        break;
      }
      out.rest.push(arg);
      continue;
    }
    if (arg.startsWith('--') || valued.includes(arg)) {
      const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
      if (equals > 0) put(arg.slice(0, equals), arg.slice(equals + 1));
      else if (valued.includes(arg) && at + 1 < args.length) put(arg, args[++at] ?? '');
      else out.flags.add(arg);
      continue;
    }
    for (let index = 1; index < arg.length; index++) {
      const flag = `-${arg[index]}`;
      if (!valued.includes(flag)) {
        out.flags.add(flag);
        continue;
      }
      if (index + 1 < arg.length) put(flag, arg.slice(index + 1));
      else if (at + 1 < args.length) put(flag, args[++at] ?? '');
      break;
    }
  }
  return out;
}
