/** A line of Markdown without the marks of headings, strong text and code, for places that show plain text. */
export function withoutMarks(line: string): string {
  return line.replace(/^\s*#{1,6}\s+/, '').replaceAll(/\*\*|`/g, '');
}
