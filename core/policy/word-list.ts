/** The words of a list that is written as one text, with a space between them. */
export function toList(words = ''): string[] {
  return words === '' ? [] : words.split(' ');
}

export function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** A table in which each of the names has the same value. */
export function forNames<T>(names: string, value: T): Record<string, T> {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]));
}
