/** Points for each character of the query that is found. */
const FOUND = 16;
/** Also, where it stands: at the beginning of the name, of a folder's name, of a word, anywhere in the name. */
const NAME_START = 14;
const FOLDER_START = 6;
const WORD_START = 10;
const IN_NAME = 6;
/** Also, where it follows the one before at once. */
const NEXT = 12;
/** Taken away where something lies between two of them. */
const GAP = 3;
/** Also, where the name is the query, without or with its extension. */
const WHOLE_NAME = 20;

const NONE = -1_000_000;

/**
 * Paths that hold all characters of a query in its order, whatever their case, the likeliest first: those found in the
 * name before those in its folders, at the beginnings of words before those within, side by side before scattered,
 * and short paths before long ones.
 *
 * @param limit Of paths that are returned.
 */
export function rankPaths(paths: Iterable<string>, query: string, limit: number): string[] {
  const wanted = query.toLowerCase();
  const score = createScore(wanted);
  let best: { path: string; points: number }[] = [];
  const cut = () => {
    best.sort((a, b) => b.points - a.points || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
    best = best.slice(0, limit);
  };
  for (const path of paths) {
    const lower = path.toLowerCase();
    if (!holds(lower, wanted)) continue;
    best.push({ path, points: score(path, lower) });
    // Never more than a few times what is asked for: to sort all of fifty thousand takes longer than to look at them.
    if (best.length >= 8 * limit + 256) cut();
  }
  cut();
  return best.map(({ path }) => path);
}

/** True where the characters are there in their order. */
function holds(lower: string, wanted: string): boolean {
  let at = -1;
  for (let next = 0; next < wanted.length; next++) if ((at = lower.indexOf(wanted[next]!, at + 1)) < 0) return false;
  return true;
}

/** Reckons the best way to find a query in a path that holds it: the points of that way. */
function createScore(wanted: string): (path: string, lower: string) => number {
  /** Of the query as far as each of its characters: the best that ends here, and that ended anywhere before. */
  const here = new Int32Array(wanted.length);
  const before = new Int32Array(wanted.length);
  const isWanted = new Uint8Array(65_536);
  for (let next = 0; next < wanted.length; next++) isWanted[wanted.charCodeAt(next)] = 1;
  const leave = () => {
    for (let next = 0; next < wanted.length; next++) {
      if (here[next]! > before[next]!) before[next] = here[next]!;
      here[next] = NONE;
    }
  };
  return (path, lower) => {
    if (wanted === '') return 0;
    here.fill(NONE);
    before.fill(NONE);
    // Characters whose small form has another length would shift everything: rare enough to be taken as they are.
    const name = lower.lastIndexOf('/') + 1;
    let last = -1;
    for (let at = 0; at < lower.length; at++) {
      const character = lower.charCodeAt(at);
      if (isWanted[character] === 0) continue;
      if (at > last + 1) leave();
      last = at;
      const place = toPlace(path, at, name);
      // From the end, so that what is read is still that of the character before.
      for (let next = wanted.length - 1; next >= 0; next--) {
        const beside = next === 0 ? NONE : here[next - 1]!;
        const apart = next === 0 ? 0 : before[next - 1]!;
        if (here[next]! > before[next]!) before[next] = here[next]!;
        here[next] = NONE;
        if (wanted.charCodeAt(next) !== character) continue;
        const from = Math.max(beside + NEXT, next === 0 ? 0 : apart - GAP);
        if (from > NONE / 2) here[next] = from + FOUND + place;
      }
    }
    const points = Math.max(here.at(-1)!, before.at(-1)!);
    const isWhole = lower.startsWith(wanted, name) && ['', '.'].includes(lower.charAt(name + wanted.length));
    return points + (isWhole ? WHOLE_NAME : 0);
  };
}

/** Points for where a character stands. */
function toPlace(path: string, at: number, name: number): number {
  if (at === name) return NAME_START + IN_NAME;
  const inName = at > name ? IN_NAME : 0;
  const last = path.charCodeAt(at - 1);
  if (at === 0 || last === SLASH) return FOLDER_START;
  if (last === DASH || last === UNDERSCORE || last === DOT || last === SPACE) return WORD_START + inName;
  const isHump = isUpper(path.charCodeAt(at)) && !isUpper(last);
  return isHump ? WORD_START + inName : inName;
}

const SLASH = 47;
const DASH = 45;
const UNDERSCORE = 95;
const DOT = 46;
const SPACE = 32;

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}
