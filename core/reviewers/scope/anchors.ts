import { findNamedPaths } from './named-paths.ts';

/** Words of a text that are certainly names or values of code: in backticks, quoted, or spelled like code. */
export function findAnchors(text: string): string[] {
  const paths = new Set(findNamedPaths(text).files.flatMap((path) => [path, path.replace(/\.\w+$/, '')]));
  const rest = text.replaceAll(/\b[a-z]+:\/\/\S+/gi, ' ');
  const quoted = [...rest.matchAll(/`([^`\n]{1,80})`|"([^"\n]{1,60})"|(?<![\w])'([^'\n]{1,60})'(?!\w)/g)].map(
    (found) => found[1] ?? found[2] ?? found[3]!,
  );
  const spelled =
    rest.match(
      /(?<![\w./-])(?:[a-z]+[A-Z]\w*|[A-Za-z]+_\w+|[A-Z][a-z]+[A-Z]\w*|[A-Z][A-Z0-9]+_[A-Z0-9_]+|\w+\(\))(?![\w/-]|\.\w)/g,
    ) ?? [];
  const all = [...quoted, ...spelled].map((each) => each.replace(/\(\)$/, '').trim());
  return [...new Set(all)].filter(
    (each) => each.length > 1 && !paths.has(each) && findNamedPaths(each).files.length === 0,
  );
}

/** Numbers with a meaning in a request, such as a limit. */
export function findNumbers(text: string): string[] {
  return [...new Set(text.match(/(?<![\w.#-])\d+(?:\.\d+)?(?![\w.]*\w)/g) ?? [])];
}

/** True if the text contains the anchor as a word, or an anchor of several words completely. */
export function holds(text: string, anchor: string): boolean {
  const last = /^[\w$.]+$/.test(anchor) ? anchor.split('.').at(-1)! : anchor;
  if (!/^[\w$]+$/.test(last)) return text.includes(last);
  return new RegExp(`(?<![\\w$])${last.replaceAll('$', String.raw`\$`)}(?![\\w$])`).test(text);
}
