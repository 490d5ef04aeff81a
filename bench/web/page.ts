import { type Circumstances, describe } from '../page.ts';
import { type Line, toMarkdown } from '../table.ts';

/** docs/benchmarks-web.md. */
export function toPage(lines: readonly Line[], circumstances: Circumstances): string {
  return `# Benchmarks of the page

${describe(circumstances)}:

${toMarkdown(lines)}
`;
}
