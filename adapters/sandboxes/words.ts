/** The words of a text that white space separates. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
