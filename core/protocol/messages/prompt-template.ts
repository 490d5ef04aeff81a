/** A name in braces, such as `{{branch}}`. */
const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_][\p{L}\p{N}_ -]{0,39}?)\s*\}\}/gu;

/** The names of the placeholders of a saved prompt, in their order, each once. */
export function toPlaceholders(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name!))];
}

/** Replaces placeholders by their values. One without a value stays. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(PLACEHOLDER, (all, name: string) => (Object.hasOwn(values, name) ? values[name]! : all));
}

/**
 * The message for a saved prompt and what follows its name: `$ARGUMENTS` is all of it, `$1` to `$9` and the placeholders
 * are its words in order; the last placeholder takes the rest. Without a place for it, it follows the text.
 */
export function expandPrompt(body: string, given: string): string {
  const words = given.split(/\s+/).filter((word) => word !== '');
  const text = body.trim();
  const names = toPlaceholders(text);
  const isPlaced = names.length > 0 || /\$(?:ARGUMENTS|\d)/.test(text);
  if (!isPlaced) return given === '' ? text : `${text}\n\n${given}`;
  const values = names.flatMap((name, at) => {
    const value = at === names.length - 1 ? words.slice(at).join(' ') : (words[at] ?? '');
    return value === '' ? [] : [[name, value] as const];
  });
  // In one pass over the text: an argument that looks like a placeholder is not replaced.
  const filled = Object.fromEntries(values);
  return text.replaceAll(
    new RegExp(`${PLACEHOLDER.source}|\\$ARGUMENTS|\\$([1-9])`, 'gu'),
    (all, name: string | undefined, at: string | undefined) => {
      if (name !== undefined) return filled[name] ?? all;
      return at === undefined ? given : (words[Number(at) - 1] ?? '');
    },
  );
}
