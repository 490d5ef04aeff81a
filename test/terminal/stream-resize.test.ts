// Covers apps/terminal/screen, apps/terminal/view: a window that changes its size while an answer is streamed keeps each line once.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { MAIN, startServer, toEnv } from '../fixtures/klaus.ts';
import { hasTmux } from '../fixtures/terminal.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const COUNT = 120;
const NAMES = Array.from({ length: COUNT }, (_, index) => `P${String(index).padStart(3, '0')}`);
const TEXT = NAMES.map((name) => `${name} is a paragraph whose line is longer than the narrow window of this test.`);
const WIDTHS = [80, 60, 120, 40, 100, 90, 70, 100];
/** Milliseconds between two sizes, as a person drags a window. */
const RESIZE_MS = 400;

test.runIf(hasTmux)('each paragraph is in the scrollback once', { timeout: 120_000 }, async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [{ reply: { text: TEXT.join('\n\n') }, chunk: 40, pace: 25 }] });
  const socket = `klaus-test-${randomUUID()}`;
  const tmux = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)('tmux', ['-L', socket, '-f', '/dev/null', ...words])).stdout;
  const until = async (holds: () => Promise<boolean>): Promise<void> =>
    await expect.poll(holds, { timeout: 60_000 }).toBe(true);
  const env = Object.entries({ ...toEnv({ place, server }), TERM: 'tmux-256color' }).flatMap((pair) => [
    '-e',
    pair.join('='),
  ]);
  await tmux('new-session', '-d', '-x', '100', '-y', '30', '-c', place.workspace, ...env, 'exec cat');
  try {
    await tmux('set-option', '-g', 'history-limit', '5000');
    await tmux('respawn-window', '-k', process.execPath, MAIN, 'chat', 'klaus');
    const read = (): Promise<string> => tmux('capture-pane', '-p', '-J', '-S', '-5000');
    await until(async () => (await read()).includes('mode '));
    await tmux('send-keys', '-l', 'go');
    await until(async () => (await read()).includes('› go'));
    await tmux('send-keys', 'Enter');
    await until(async () => (await read()).includes('P003'));
    for (const width of WIDTHS) {
      await tmux('resize-window', '-x', String(width), '-y', '30');
      await pause(RESIZE_MS);
    }
    await until(async () => /P119[^]*1 turn/.test(await read()));
    const shown = await read();
    expect([...shown.matchAll(/P\d{3}/g)].map(([name]) => name)).toEqual(NAMES);
  } finally {
    await tmux('kill-server').catch(() => {});
  }
});
