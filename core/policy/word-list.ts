const lists = new Map<string, readonly string[]>();

/** The words of a constant list that is written as one text, with a space between them. */
export function toList(words = ''): readonly string[] {
  if (!lists.has(words)) lists.set(words, words === '' ? [] : words.split(' '));
  return lists.get(words)!;
}

export function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** A table in which each of the names has the same value. */
export function forNames<T>(names: string, value: T): Record<string, T> {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]));
}
