import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceBetween } from './markdown.ts';

/** The README with the code of `examples/define-a-tool.ts`, which tests run, between its markers. */
export function toReadme(root: string): string {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const code = readFileSync(join(root, 'examples/define-a-tool.ts'), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('//'))
    .join('\n');
  return replaceBetween(readme, ['<!-- example -->', '<!-- /example -->'], `\n\n\`\`\`ts\n${code}\`\`\`\n\n`);
}
