import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** File modes apply to root without capabilities as to any other user. */
const AS_USER = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'] : [];

test('a folder without permissions is still searched, and keeps its mode', () => {
  const script = join(import.meta.dirname, 'closed-folder.fixture.ts');
  const [program, ...args] = [...AS_USER, process.execPath, script];
  const { stdout, stderr } = spawnSync(program!, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ paths: ['closed'], mode: 0 });
});
