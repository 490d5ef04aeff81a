import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Root without capabilities is held by the modes of files like any other user. */
const AS_USER = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'] : [];

test('a folder that a command has closed is looked into all the same, and stays closed', () => {
  const script = join(import.meta.dirname, 'closed-folder.fixture.ts');
  const [program, ...args] = [...AS_USER, process.execPath, script];
  const { stdout, stderr } = spawnSync(program!, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ paths: ['closed'], mode: 0 });
});
