// Covers adapters/sandboxes, sdk/open: notices about hidden virtual environments.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { hasBubblewrap } from '../fixtures/sandboxed.ts';

test.skipIf(!hasBubblewrap)('a session reports once an environment that commands do not see', async () => {
  using place = createTestHome();
  const user = join(place.home, '..', 'user');
  mkdirSync(join(user, 'bin'), { recursive: true });
  writeFileSync(join(user, 'pyvenv.cfg'), 'home = /usr/bin\n');
  writeFileSync(join(user, 'bin', 'half'), '#!/bin/sh\necho half\n', { mode: 0o755 });
  await using server = await startServer({
    steps: [
      { reply: { calls: [{ name: 'run_command', input: { command: 'half || echo no half' } }] } },
      { reply: { text: 'It says: {{result}}' } },
    ],
    fallback: { text: 'The same.' },
  });
  const env = {
    KLAUS_SANDBOX: 'bubblewrap',
    HOME: user,
    VIRTUAL_ENV: user,
    PATH: `${join(user, 'bin')}:${process.env['PATH']}`,
  };
  const first = await runKlaus(['run', '--json', '--approve', 'auto', 'try it'], { place, server, env });
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const events = toEvents(first.stdout);
  expect(events.slice(0, 2)).toMatchObject([
    { type: 'session.opened', sandbox: 'bubblewrap' },
    { type: 'notice', level: 'warn' },
  ]);
  const named = events.filter((event) => event.type === 'notice' && event.text.includes(` ${user} `));
  expect(named).toHaveLength(1);
  expect(events.find(({ type }) => type === 'tool.finished')).toMatchObject({
    output: expect.stringContaining('no half'),
  });
  const { session } = events[0]!;
  expect(await runKlaus(['replay', session], { place, server, env })).toMatchObject({ code: 0 });
  const again = await runKlaus(['run', '--json', '--session', session, 'again'], { place, server, env });
  expect(again.code).toBe(0);
  expect(again.stdout).not.toContain('"type":"notice"');
});

test.skipIf(!hasBubblewrap)('a continued session reports once what its commands no longer see', async () => {
  using place = createTestHome();
  const user = join(place.home, '..', 'user');
  const extra = join(place.home, '..', 'extra');
  for (const folder of [join(user, 'bin'), extra]) mkdirSync(folder, { recursive: true });
  await using server = await startServer({ steps: [], fallback: { text: 'Done.' } });
  const env = {
    KLAUS_SANDBOX: 'bubblewrap',
    HOME: user,
    PATH: `${join(user, 'bin')}:${process.env['PATH']}`,
    KLAUS_SANDBOX_FOLDERS: extra,
  };
  const first = await runKlaus(['run', '--json', 'try it'], { place, server, env });
  expect(first.stdout).not.toContain('"type":"notice"');
  const { session } = toEvents(first.stdout)[0]!;
  const continueSession = async () => {
    const { code, stdout, stderr } = await runKlaus(['run', '--json', '--session', session, 'continue'], {
      place,
      server,
      env: { ...env, VIRTUAL_ENV: user, KLAUS_SANDBOX_FOLDERS: '' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const events = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { type: string; text: string });
    return events.flatMap(({ type, text }) => (type === 'notice' ? [text] : []));
  };
  writeFileSync(join(user, 'pyvenv.cfg'), 'home = /usr/bin\n');
  rmSync(extra, { recursive: true });
  expect(await continueSession()).toEqual([expect.stringContaining(`${extra} `), expect.stringContaining(` ${user} `)]);
  expect(await continueSession()).toEqual([]);
  expect(await runKlaus(['replay', session], { place, server, env })).toMatchObject({ code: 0 });
});
