// Covers docs: each promise of docs/security.md names existing tests.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const CITED = /`([\w./-]+\.(?:ts|py))`|"([^"]+)"/g;

interface Promised {
  promise: string;
  cells: string[];
}

function readPromises(): Promised[] {
  const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
  const holds = page.slice(page.indexOf('## What holds'), page.indexOf('## What does not hold'));
  return holds
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| promise |'))
    .map((line) => line.slice(2, -2).split(' | '))
    .map((cells) => ({ promise: cells[0]!, cells }));
}

/** A title with apostrophes is escaped in some sources. */
function toTitle(text: string): string {
  return text.replaceAll('\\', '');
}

describe('a promise of docs/security.md', () => {
  const promises = readPromises();

  test('is a row of three cells, and there are many', () => {
    expect(promises.length).toBeGreaterThan(30);
    expect(promises.filter(({ cells }) => cells.length !== 3)).toEqual([]);
  });

  test.each(promises)('$promise', ({ cells }) => {
    let file: string | undefined;
    for (const [, path, title] of cells.at(-1)!.matchAll(CITED)) {
      if (path !== undefined) {
        expect(existsSync(join(ROOT, path)), path).toBe(true);
        file = toTitle(readFileSync(join(ROOT, path), 'utf8'));
      } else expect(file?.includes(title!), `${title} in the file before it`).toBe(true);
    }
    expect(file).toBeDefined();
  });
});
