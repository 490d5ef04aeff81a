const names = new Map<string, string>();

/** Statements beyond this number are not prepared: a text that contains its values would otherwise fill the server. */
const MAX = 500;

/** A short name for a statement's text, the same for all connections; undefined for one that is not prepared. */
export function toStatementName(text: string): string | undefined {
  const found = names.get(text);
  if (found !== undefined || names.size >= MAX) return found;
  const name = `k${names.size}`;
  names.set(text, name);
  return name;
}
