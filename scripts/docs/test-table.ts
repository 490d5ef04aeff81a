import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { replaceBetween } from './markdown.ts';

const COVERS = /^\/\/ Covers (?<paths>[^:]+): (?<what>.+)\.$/;

/**
 * What each test file below `test/` covers, from its first line: `// Covers core/agent/loop, sdk: what it shows.`
 *
 * @throws Error for a file without such a line, and for a path that does not exist.
 */
function readCoverage(root: string) {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name}`)
    .toSorted();
  return files.map((file) => {
    const [line = ''] = readFileSync(join(root, file), 'utf8').split('\n', 1);
    const paths = COVERS.exec(line)?.groups?.['paths']?.split(', ');
    if (!paths) throw new Error(`${file}: the first line must be "// Covers PATH, PATH: what the file shows."`);
    const missing = paths.filter((path) => !existsSync(join(root, path)));
    if (missing.length > 0) throw new Error(`${file} covers ${missing.join(', ')}, which does not exist`);
    return { file, paths };
  });
}

/** AGENTS.md with the table of tests by the folders that they cover, between its markers. */
export function toAgents(root: string): string {
  const page = readFileSync(join(root, 'AGENTS.md'), 'utf8');
  const rows = new Map<string, string[]>();
  for (const { file, paths } of readCoverage(root)) {
    for (const path of paths) rows.set(path, [...(rows.get(path) ?? []), file.replace(/^test\/|\.test\.ts$/g, '')]);
  }
  const lines = [...rows]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([path, files]) => `| \`${path}\` | ${files.map((name) => `\`${name}\``).join(' ')} |`);
  const table = `\n\n| you changed | run, in \`test/\` |\n|---|---|\n${lines.join('\n')}\n\n`;
  return replaceBetween(page, ['<!-- tests -->', '<!-- /tests -->'], table);
}
