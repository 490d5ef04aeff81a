import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listSources } from '../imports.ts';
import { LATE_PARTS } from './late-parts.ts';

const sources = listSources(join(import.meta.dirname, '../..'));
const beginnings = Object.values(LATE_PARTS)
  .flat()
  .filter((it) => !it.startsWith('node_modules/'));

test.for(beginnings)('%s names a file of the repository', (begin) => {
  expect(sources.some((path) => path.startsWith(begin))).toBe(true);
});
