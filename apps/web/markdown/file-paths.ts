/** A path in a text, with the line that it names. */
export interface NamedPath {
  text: string;
  path: string;
  line: number | undefined;
}

const NAME = String.raw`[\w.@+\-()\[\]]*[\w@+\-)\]]`;
/** A path with a folder or with an extension, optionally with a line: `src/a.ts:12`, `a.ts`, `./a/b`, `a.ts#L3`. */
const PATH = new RegExp(
  String.raw`(?<![\w/:.@#-])(?:\.{0,2}/)?(?:${NAME}/)*(?:${NAME}\.[A-Za-z]\w{0,9}|(?<=/)${NAME})(?::(\d{1,7})(?::\d{1,5}|-\d{1,7})?|#L(\d{1,7})(?:-L?\d{1,7})?)?(?![\w/])`,
  'g',
);
const MAX_LENGTH = 300;

/** False for a text without any path. */
export function mayHavePath(text: string): boolean {
  return /[./]\w/.test(text);
}

/** Splits a text into texts and paths. Whether a file exists is not known. */
export function splitPaths(text: string): (string | NamedPath)[] {
  if (!mayHavePath(text) || text.length > 20_000) return [text];
  const parts: (string | NamedPath)[] = [];
  let end = 0;
  for (const found of text.matchAll(PATH)) {
    const named = toNamedPath(found);
    if (!named) continue;
    if (found.index > end) parts.push(text.slice(end, found.index));
    parts.push(named);
    end = found.index + named.text.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** The path that a text consists of, such as that of inline code; undefined for another text. */
export function toPath(text: string): NamedPath | undefined {
  const [only, ...more] = splitPaths(text);
  if (more.length === 0 && typeof only === 'object') return only;
  // Names without an extension, such as `Makefile`.
  return /^[A-Z][\w-]{2,40}$/.test(text) ? { text, path: text, line: undefined } : undefined;
}

function toNamedPath([text, line, fragment]: RegExpExecArray): NamedPath | undefined {
  const path = text.replace(/(?::\d+(?:[:-]\d+)?|#L\d+(?:-L?\d+)?)$/, '');
  // A version, a number with a unit or an abbreviation is no path.
  if (path.length > MAX_LENGTH || /^[\d.]+\w{0,2}$/.test(path) || /^(?:e\.g|i\.e|z\.B|d\.h)$/i.test(path))
    return undefined;
  const at = line ?? fragment;
  return { text, path, line: at === undefined ? undefined : Number(at) };
}
