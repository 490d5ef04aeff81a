import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../sandbox.fixture.ts';
import { callSystem, canCallSystem } from './system-calls.ts';
import { listDescendants, readProcess } from './process-table.ts';

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-calls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const isPipe = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isFIFO() === true;

/** The oldest one: a call has a process of its own, which can end at any time. */
const findProgram = () => listDescendants(process.pid).find((pid) => readCommand(pid).startsWith('/usr/bin/perl'));

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

test.skipIf(!canCallSystem())('creates pipes for this user only, also with unusual names', async () => {
  const folder = createFolder();
  const paths = ['plain', 'line\nbreak', 'ümlaut', "quote'", ' 12 0', 'x'.repeat(255)].map((name) =>
    join(folder, name),
  );
  expect(await callSystem(['pipes', ...paths])).toBeUndefined();
  expect(paths.map(isPipe)).toEqual(paths.map(() => true));
  expect(lstatSync(paths[0]!).mode & 0o777).toBe(0o600);
});

test.skipIf(!canCallSystem())('reports the path that failed, and the next call works', async () => {
  const folder = createFolder();
  const [first, missing] = [join(folder, 'first'), join(folder, 'missing/pipe')];
  expect(await callSystem(['pipes', first, missing])).toEqual({
    kind: 'place',
    reason: expect.stringContaining(missing),
  });
  expect(isPipe(first)).toBe(true);
  expect(await callSystem(['pipes', join(folder, 'zero\0byte')])).toMatchObject({ kind: 'place' });
  expect(await callSystem(['pipes', join(folder, 'next')])).toBeUndefined();
});

test.skipIf(!canCallSystem())('a process that has ended is reported', async () => {
  const { pid } = spawnSync('true');
  expect(await callSystem(['mount', String(pid), 'bind', '/a', '/b'])).toMatchObject({ kind: 'unusable' });
});

test.skipIf(!canCallSystem())('answers each of many calls at once with its own result', async () => {
  const folder = createFolder();
  const calls = Array.from({ length: 60 }, (_, index) => join(folder, index % 3 === 0 ? `none/${index}` : `${index}`));
  const answers = await Promise.all(calls.map((path) => callSystem(['pipes', path])));
  for (const [index, answer] of answers.entries()) {
    if (index % 3 === 0) expect(answer?.reason).toContain(calls[index]);
    else expect([answer, isPipe(calls[index]!)]).toEqual([undefined, true]);
  }
});

test.skipIf(!canCallSystem())('is started again after it was killed', async () => {
  const folder = createFolder();
  await callSystem(['pipes', join(folder, 'a')]);
  const pid = findProgram()!;
  process.kill(pid, 'SIGKILL');
  // Either the call comes first and fails, or it uses a new process.
  await eventually(() => findProgram() !== pid);
  await callSystem(['pipes', join(folder, 'b')]);
  expect(await callSystem(['pipes', join(folder, 'c')])).toBeUndefined();
  expect(findProgram()).not.toBe(pid);
});

test.skipIf(!canCallSystem())('does not keep a process running, and ends with it', async () => {
  const folder = createFolder();
  const module = join(import.meta.dirname, 'system-calls.ts');
  const script = `
    import { callSystem } from ${JSON.stringify(module)};
    const failure = await callSystem(['pipes', ${JSON.stringify(join(folder, 'a'))}]);
    const { readFileSync } = await import('node:fs');
    console.log(failure, readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim());`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const [failure, pid] = said.trim().split(' ');
  expect(failure).toBe('undefined');
  expect(await eventually(() => readProcess(Number(pid))?.ended !== false)).toBe(true);
});
