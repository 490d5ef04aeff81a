import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlaceholders } from './placeholders.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'klaus-places-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const toPlace = () => ({ path: join(folder, 'commondir'), content: '.\n' });

/** Holds and lets go of it until it is ended. */
const LOOP = `
  import { createPlaceholders } from ${JSON.stringify(join(import.meta.dirname, 'placeholders.ts'))};
  process.stdout.write('x');
  for (;;) createPlaceholders([JSON.parse(process.argv[1])]).release();
`;

test('a process that is killed while it makes a file leaves it whole or not at all, and the next one sweeps', async () => {
  const found: (string | undefined)[] = [];
  for (let kill = 0; kill < 15; kill++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', LOOP, JSON.stringify(toPlace())], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { path } = toPlace();
    found.push(existsSync(path) ? readFileSync(path, 'utf8') : undefined);
    rmSync(path, { force: true });
  }
  expect([...new Set(found)].filter((content) => content !== '.\n' && content !== undefined)).toEqual([]);
  const { placeholders, release } = createPlaceholders([toPlace()]);
  expect(placeholders).toEqual([toPlace()]);
  expect(readdirSync(folder)).toEqual(['commondir']);
  release();
  expect(readdirSync(folder)).toEqual([]);
}, 60_000);

test('an empty file in the place is taken for what a crash left; any other stays', () => {
  const { path } = toPlace();
  writeFileSync(path, '');
  const { placeholders, release } = createPlaceholders([toPlace()]);
  expect(placeholders).toHaveLength(1);
  expect(readFileSync(path, 'utf8')).toBe('.\n');
  release();
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, '../main\n');
  expect(createPlaceholders([toPlace()]).placeholders).toEqual([]);
  expect(readFileSync(path, 'utf8')).toBe('../main\n');
});
