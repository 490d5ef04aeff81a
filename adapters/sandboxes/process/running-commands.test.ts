import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readProcess } from './process-table.ts';
import { listRunning, registerRunning, pauseRunning } from './running-commands.ts';

const home = mkdtempSync(join(tmpdir(), 'klaus-running-'));
const children = new Set<ReturnType<typeof spawn>>();

afterEach(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  children.clear();
  rmSync(home, { recursive: true, force: true });
});

function start(folders: readonly string[]): { pid: number; startTime: string; isPaused: () => boolean } {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  children.add(child);
  const pid = child.pid!;
  const { startTime } = readProcess(pid)!;
  registerRunning(home, { pid, startTime, folders });
  return { pid, startTime, isPaused: () => /^State:\tT/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')) };
}

test.each([
  ['the same workspace', ['/code/a'], ['/code/a'], true],
  ['a folder of the workspace', ['/code/a'], ['/code/a/packages/b'], true],
  ['another workspace', ['/code/a'], ['/code/ab'], false],
  ['another workspace with the same folder beside it', ['/code/a', '/code/shared'], ['/code/b', '/code/shared'], true],
  ['a workspace that is the folder beside it', ['/code/a', '/code/shared'], ['/code/shared'], true],
  ['another folder beside it', ['/code/a', '/code/shared'], ['/code/b', '/code/other'], false],
])('a command is paused for one that works on %s', async (_, own, other, expected) => {
  const command = start(own);
  const resume = await pauseRunning(home, other);
  expect(command.isPaused()).toBe(expected);
  resume();
  expect(command.isPaused()).toBe(false);
});

test('the note of an earlier version names a workspace, and one whose process is gone is removed', () => {
  const { pid, startTime } = start([]);
  const folder = join(home, 'running');
  writeFileSync(join(folder, `${pid}-${startTime}`), JSON.stringify({ pid, startTime, workspace: '/code/a' }));
  writeFileSync(join(folder, '1-0'), JSON.stringify({ pid: 1, startTime: '0', folders: ['/code/a'] }));
  expect(listRunning(home, ['/code/a'])).toMatchObject([{ pid, folders: ['/code/a'] }]);
  expect(readdirSync(folder)).toEqual([`${pid}-${startTime}`]);
});
