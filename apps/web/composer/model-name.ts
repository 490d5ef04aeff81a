/** Names that are written in upper case. */
const ACRONYMS: ReadonlySet<string> = new Set(['gpt', 'glm', 'ai']);

/** The name of a model for people: `anthropic/claude-opus-5-5` is `Opus 5.5`, `openai/gpt-5.4-mini` is `GPT 5.4 Mini`. */
export function toModelName(name: string): string {
  const id = name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/^claude-/, '')
    .replace(/[-@]20\d{6}$/, '');
  const words = id
    // Anthropic separates the parts of a version by a hyphen.
    .replace(/(?<=-)(\d{1,2})-(\d{1,2})(?=-|$)/g, '$1.$2')
    .split('-')
    .filter((word) => word !== '')
    .map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)));
  return words.join(' ');
}

/** `$` to `$$$`; empty if the price is unknown. @param relative Relative to the most expensive model, which is 1. */
export function toPriceClass(relative: number | null): string {
  if (relative === null) return '';
  if (relative > 0.4) return '$$$';
  return relative > 0.12 ? '$$' : '$';
}
