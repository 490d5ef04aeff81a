import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const BEGIN = '<!-- example -->';
const END = '<!-- /example -->';

/** The README with the code of `examples/define-a-tool.ts`, which tests run, between its markers. */
export function toReadme(root: string): string {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const code = readFileSync(join(root, 'examples/define-a-tool.ts'), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('//'))
    .join('\n');
  const [before, rest] = readme.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`README.md lacks ${BEGIN} … ${END}`);
  return `${before}${BEGIN}\n\n\`\`\`ts\n${code}\`\`\`\n\n${END}${after}`;
}
