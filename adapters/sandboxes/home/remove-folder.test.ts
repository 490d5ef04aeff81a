import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSandboxFixture } from '../sandbox.fixture.ts';

/** Root without capabilities is held by the modes of files like any other user. */
const AS_USER = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'] : [];

test('folders that are read-only for their owner are removed too', () => {
  using place = createSandboxFixture();
  const folder = join(place.root, 'home');
  const deep = join(folder, 'go/pkg/mod/example.org@v1.0.0');
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, 'go.mod'), 'module example.org\n');
  mkdirSync(join(folder, 'closed'));
  for (const [path, mode] of [
    [deep, 0o555],
    [join(folder, 'go/pkg/mod'), 0o555],
    [join(folder, 'closed'), 0],
  ] as const)
    chmodSync(path, mode);
  const file = join(import.meta.dirname, 'remove-folder.ts');
  const script = `const { removeFolder } = await import(${JSON.stringify(file)}); removeFolder(${JSON.stringify(folder)})`;
  const [program, ...args] = [...AS_USER, process.execPath, '--input-type=module', '-e', script];
  const { stderr, status } = spawnSync(program!, args, { encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  expect(existsSync(folder)).toBe(false);
});
