// Covers apps/cli/commands, adapters/sandboxes/background: klaus ps, logs and stop.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect } from 'vitest';
import { listSessions, runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';

const SERVE = 'echo up; until [ -e go ]; do sleep 0.02; done; echo bye; exit 3';

const SCRIPT: Script = {
  steps: [
    {
      when: { turn: 0, tools: true },
      reply: {
        calls: [
          { name: 'run_command', input: { command: SERVE, background: true, survive: true } },
          { name: 'run_command', input: { command: 'sleep 1000', background: true } },
          { name: 'process_output', input: { process: 'p1', waitFor: 'up' } },
        ],
      },
    },
  ],
  fallback: { text: 'Both run.' },
};

test('a process that survives its run is listed, followed and stopped from other terminals', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  const options = { place, server, env: { KLAUS_SANDBOX: 'bubblewrap' } };
  const ran = await runKlaus(['--approve', 'auto', 'start both'], options);
  expect(ran.code).toBe(0);
  const { id } = (await listSessions(place))[0]!;
  try {
    expect(ran.stderr).toContain(SERVE.slice(0, 40));
    expect(ran.stderr).toContain(`klaus stop ${id}/p1`);
    expect(ran.stderr).toMatch(/\bp2\b.*\bstopped\b.*\brun\b.*\bsleep 1000$/m);

    const listed = await runKlaus(['ps'], options);
    expect(listed.stdout).toMatch(new RegExp(`^${id}/p1 +running +\\d+ .* 3 bytes +survives +echo up`, 'm'));
    expect(listed.stdout).not.toContain('/p2');
    const all = (await runKlaus(['ps', id.slice(0, 12), '--all', '--json'], options)).stdout.trimEnd().split('\n');
    expect(all.map((line) => JSON.parse(line) as object)).toMatchObject([
      { id: 'p1', session: id, state: 'running', survives: true, bytes: 3 },
      { id: 'p2', session: id, state: 'stopped', reason: expect.stringMatching(/\brun\b/) },
    ]);
    expect((await runKlaus(['sessions', '--json'], options)).stdout).toContain('"processes":["p1"]');
    expect((await runKlaus(['sessions'], options)).stdout).toContain('done +p1');

    expect((await runKlaus(['logs', 'p1'], options)).stdout).toBe('up\n');
    const followed = runKlaus(['logs', `${id}/p1`, '-f'], options);
    writeFileSync(join(place.workspace, 'go'), '');
    expect((await followed).stdout).toBe('up\nbye\n');
    const piece = JSON.parse((await runKlaus(['logs', 'p1', '--since', '3', '--json'], options)).stdout) as object;
    expect(piece).toEqual({ text: 'bye\n', from: 3, next: 7 });

    const late = await runKlaus(['stop', 'p1'], options);
    expect(late).toMatchObject({ code: 0, stdout: expect.stringMatching(new RegExp(`^${id}/p1\\b.*\\b3\\b.*\\n$`)) });
    const shown = await runKlaus(['show', id], options);
    expect(shown.stdout.split(SERVE)).toContainEqual(expect.stringMatching(/\bp1\b.*\bstarted\b.*\bsurvive\b.*$/));
    expect(shown.stdout).toMatch(/\bp2\b.*\bstopped\b.*\brun\b.*\bsleep 1000\b/);
    toEvents((await runKlaus(['show', id, '--json'], options)).stdout);
  } finally {
    await runKlaus(['db', 'clear-sessions', '--yes'], options);
  }
  expect(existsSync(join(place.home, 'processes', id))).toBe(false);
}, 300_000);

test(
  'klaus stop ends a process and records it; an unknown name lists the processes',
  { timeout: 300_000, tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using server = await startServer(SCRIPT);
    const options = { place, server, env: { KLAUS_SANDBOX: 'bubblewrap' } };
    await runKlaus(['--approve', 'auto', 'start both'], options);
    const { id } = (await listSessions(place))[0]!;
    try {
      const stopped = await runKlaus(['stop', `${id}/p1`, '--now', '--json'], options);
      expect(JSON.parse(stopped.stdout)).toMatchObject({
        state: 'stopped',
        reason: expect.stringContaining('klaus stop'),
        wasRunning: true,
      });
      const events = toEvents((await runKlaus(['show', id, '--json'], options)).stdout);
      expect(events.at(-1)).toMatchObject({ type: 'process.changed', process: 'p1', state: 'stopped' });
      for (const words of [
        ['logs', 'p7'],
        ['stop', `${id}/p7`],
      ]) {
        const missing = await runKlaus(words, options);
        expect(missing).toMatchObject({ code: 2, stdout: '' });
        expect(missing.stderr).toContain('klaus ps --all');
      }
      expect((await runKlaus(['ps'], options)).stderr).toContain('ps --all');
    } finally {
      await runKlaus(['db', 'clear-sessions', '--yes'], options);
    }
  },
);
