import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const cli = join(import.meta.dirname, '../../apps/cli');
const folder = mkdtempSync(join(tmpdir(), 'klaus-demo-test-'));
const env = { PATH: process.env.PATH ?? '', HOME: join(folder, 'home') };

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function copyProject(name: string): string {
  const project = join(folder, name);
  cpSync(join(cli, 'demo/project'), project, { recursive: true });
  return project;
}

function mend(project: string): string {
  const file = join(project, 'src/merge-bookings.js');
  const mended = readFileSync(file, 'utf8').replace(
    'last.end = booking.end;',
    'last.end = Math.max(last.end, booking.end);',
  );
  writeFileSync(file, mended);
  return mended;
}

test('the project has one red test, and the line that the script changes is what makes it green', () => {
  const project = copyProject('genuine');
  const runTests = () => spawnSync(process.execPath, ['--test'], { cwd: project, env, encoding: 'utf8' });
  const red = runTests();
  expect(red.status).toBe(1);
  expect(red.stdout).toMatch(/fail 1\b/);
  expect(red.stdout).toContain('a short call inside a long meeting does not free the room');
  mend(project);
  expect(runTests().status).toBe(0);
});

test('the script tells no story: where there is no bug, it changes nothing and the run fails', (context) => {
  const project = copyProject('sound');
  const source = mend(project);
  mkdirSync(env.HOME, { recursive: true });
  const words = [join(cli, 'main.ts'), 'run', '--model', 'scripted/demo', '--cwd', project, 'Mend the tests.'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, env, encoding: 'utf8' });
  context.skip(status === 7 && process.env.CI !== 'true', 'no sandbox works on this machine');
  expect({ status, stderr }).toMatchObject({ status: 1 });
  expect(stdout + stderr).toContain('My script ends here');
  expect(readFileSync(join(project, 'src/merge-bookings.js'), 'utf8')).toBe(source);
});
