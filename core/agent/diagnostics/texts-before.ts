/** The texts that a call replaces, by path. */
export type TextsBefore = ReadonlyMap<string, string>;
