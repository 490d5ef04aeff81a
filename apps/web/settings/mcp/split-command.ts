/** The words of a command line, separated by white space. Quotes join words; nothing is expanded. */
export function splitCommand(text: string): string[] {
  const words = text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/g);
  return [...words].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, one?: string, other?: string) => one ?? other ?? ''),
  );
}

/** Pairs of lines such as `NAME=value`. A line without both is in `wrong`. */
export function readPairs(text: string, separator: '=' | ':'): { pairs: Record<string, string>; wrong?: string } {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(separator);
    if (at <= 0) return { pairs, wrong: line };
    pairs[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return { pairs };
}
