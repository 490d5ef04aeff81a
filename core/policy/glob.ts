import { foldPath, isShortName } from './names/fold-path.ts';
import { readComparison } from './names/name-comparison.ts';

/** True if the text matches a pattern. */
export type GlobTest = (text: string) => boolean;

export interface GlobOptions {
  /** `[a-z]` is one of these characters, `{a,b}` one of these texts. Default false: they are characters of a name. */
  sets?: boolean;
  /** Everything below a match matches too. Default false. */
  below?: boolean;
}

const paths = new Map<string, GlobTest>();
const texts = new Map<string, GlobTest>();

/**
 * True for a path that a glob of a policy matches, or that is below such a path; see {@link toGlobTest}. A glob of
 * {@link withComparison} is also compared folded.
 */
export function matchesGlob(relative: string, pattern: string): boolean {
  let test = paths.get(pattern);
  if (!test) paths.set(pattern, (test = toPathTest(pattern)));
  return test(relative);
}

function toPathTest(pattern: string): GlobTest {
  const { plain, names } = readComparison(pattern);
  const test = toGlobTest(plain, { below: true });
  if (names === 'exact') return test;
  const folded = toGlobTest(foldPath(plain), { below: true });
  return (path) => test(path) || folded(toAnyNames(foldPath(path)));
}

/** In a path: any name. */
const ANY_NAME = '\u0000';

/** A short name can be that of any file. */
function toAnyNames(folded: string): string {
  if (!folded.includes('~')) return folded;
  const parts = folded.split('/');
  return parts.map((part) => (isShortName(part) ? ANY_NAME : part)).join('/');
}

/** The same for text that is no path: `*` matches any characters, `?` one; everything else matches itself. */
export function matchesText(text: string, pattern: string): boolean {
  let test = texts.get(pattern);
  if (!test) texts.set(pattern, (test = toTest(pattern, { isText: true })));
  return test(text);
}

/**
 * The dialect of all globs: `*` matches any characters within a name, `**` over folders, `**` with a slash also none,
 * `?` one character. All other characters match themselves. A pattern without a slash matches in every folder, a leading
 * slash is no part of the path, and names that begin with a dot are not special.
 *
 * The test takes time proportional to the length of the path times that of the pattern: agents choose both, and a regular
 * expression, as a library would create it, takes minutes for `*a*a*a*a*a*b`.
 *
 * @throws SyntaxError for a set that is invalid, such as `[z-a]`.
 */
export function toGlobTest(pattern: string, options: GlobOptions = {}): GlobTest {
  const anchored = pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`;
  return toTest(anchored, options);
}

/** A state of an automaton that reads a text from its begin. The last one is after all others, and has no entry. */
interface State {
  /** The characters that lead to the next states. Undefined: nothing is read. */
  takes?: (char: string) => boolean;
  next: number[];
}

const isAny = (): boolean => true;
const isSlash = (char: string): boolean => char === '/';
const isNoSlash = (char: string): boolean => char !== '/';

type Options = GlobOptions & { isText?: boolean };

function toStates(pattern: string, { sets, below, isText }: Options): State[] {
  const states: State[] = [];
  /** @param steps From this state to the next ones; 1 is the following. */
  const add = (steps: readonly number[], takes?: State['takes']): number => {
    const at = states.length;
    states.push({ next: steps.map((step) => at + step), ...(takes ? { takes } : {}) });
    return at;
  };
  const addRun = (takes: (char: string) => boolean): void => {
    add([1, 2]);
    add([0, 1], takes);
  };
  /** The open braces: the state before their texts, and the ends of those but the last. */
  const open: { fork: number; ends: number[] }[] = [];
  const close = (): void => {
    for (const end of open.pop()?.ends ?? []) states[end]!.next = [states.length];
  };
  const chars = Array.from(pattern);
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!;
    const isDeep = char === '*' && chars[at + 1] === '*' && isText !== true;
    const end = sets === true && char === '[' ? chars.indexOf(']', at + 2) : -1;
    if (isDeep && chars[at + 2] === '/') {
      add([1, 2, 3]);
      add([0, 1], isAny);
      add([1], isSlash);
      at += 2;
    } else if (isDeep) {
      addRun(isAny);
      at++;
    } else if (char === '*') addRun(isText === true ? isAny : isNoSlash);
    else if (char === '?') add([1], isText === true ? isAny : isNoSlash);
    else if (end > 0) {
      add([1], toSet(chars.slice(at + 1, end).join('')));
      at = end;
    } else if (sets === true && char === '{' && chars.includes('}', at)) {
      open.push({ fork: add([1]), ends: [] });
    } else if (char === ',' && open.length > 0) {
      const { fork, ends } = open.at(-1)!;
      ends.push(add([]));
      states[fork]!.next.push(states.length);
    } else if (char === '}' && open.length > 0) close();
    else add([1], char === '/' ? isSlash : (other) => other === char);
  }
  while (open.length > 0) close();
  if (below === true) {
    add([1, 4]);
    add([1], isSlash);
    addRun(isAny);
  }
  return states;
}

function toSet(inner: string): (char: string) => boolean {
  const set = new RegExp(`^(?!/)[${inner.replace(/^[!^]/, '^').replaceAll(/[\\[\]]/g, '\\$&')}]$`, 'u');
  return (char) => set.test(char);
}

function toTest(pattern: string, options: Options): GlobTest {
  const states = toStates(pattern, options);
  // Most paths do not contain the longest literal part, which is found much faster than the automaton ends.
  const parts = options.sets === true && /[[{]/.test(pattern) ? [] : pattern.split(/\*\*\/|[*?]/);
  const part = parts.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  return (text) => {
    if (!text.includes(part) && !text.includes(ANY_NAME)) return false;
    /** For each state the number of characters, plus one, after which it was entered last. */
    const entered = new Uint32Array(states.length + 1);
    let read = 1;
    let active: number[] = [];
    const enter = (at: number): void => {
      if (entered[at] === read) return;
      entered[at] = read;
      const state = states[at];
      if (state === undefined || state.takes) active.push(at);
      else for (const next of state.next) enter(next);
    };
    enter(0);
    for (const char of text) {
      const before = active;
      active = [];
      read++;
      if (char === ANY_NAME) {
        // All states that some name leads to. The list grows while it is read.
        for (const at of before) enter(at);
        for (const at of active) {
          const state = states[at];
          if (state?.takes && state.takes !== isSlash) for (const next of state.next) enter(next);
        }
        continue;
      }
      for (const at of before) if (states[at]?.takes?.(char)) for (const next of states[at].next) enter(next);
      if (active.length === 0) return false;
    }
    return active.includes(states.length);
  };
}
