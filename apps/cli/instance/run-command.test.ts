import { expect, test } from 'vitest';
import { runCommand } from './run-command.ts';

const node = (program: string): string[] => [process.execPath, '-e', program];
const common = { cwd: process.cwd(), env: process.env };

test('the exit code is that of the program', async () => {
  const { signal } = new AbortController();
  expect(await runCommand(node('process.exit(3)'), { ...common, signal, graceMs: 0 })).toBe(3);
  await expect(runCommand(['/nonexistent/program'], { ...common, signal, graceMs: 0 })).rejects.toMatchObject({
    code: 'usage',
  });
});

test('the signal ends the program, which has time for its own end', async () => {
  const signal = AbortSignal.abort();
  const polite = "process.on('SIGTERM', () => process.exit(5)); setInterval(() => {}, 1000)";
  // A program that has not set its handler yet is ended by the signal itself.
  expect([5, 143]).toContain(await runCommand(node(polite), { ...common, signal, graceMs: 60_000 }));
});

test('a program that ignores SIGTERM is killed after the grace', async () => {
  const stop = new AbortController();
  const words = ['sh', '-c', `trap '' TERM; kill -USR2 ${process.pid}; while :; do sleep 1; done`];
  process.once('SIGUSR2', () => stop.abort());
  expect(await runCommand(words, { ...common, signal: stop.signal, graceMs: 1 })).toBe(137);
});

test('without a program it waits for the signal', async () => {
  expect(await runCommand([], { ...common, signal: AbortSignal.abort(), graceMs: 0 })).toBe(0);
});
