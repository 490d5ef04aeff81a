// Covers apps/claude-code/hooks/heartbeat: which sessions and changes are reported, and how often.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createKlaus, type HostEvent, type Klaus } from '@klaus/sdk';
import { readGuardStates } from '@klaus/sdk/guard-log';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { toHookPath } from '../../apps/claude-code/hooks/install/hook-program.ts';
import { readSettings, withGuard } from '../../apps/claude-code/hooks/install/settings-file.ts';
import { Heartbeat } from '../../apps/claude-code/hooks/heartbeat/heartbeat.ts';
import { recordInstallation } from '../../apps/claude-code/hooks/heartbeat/record-installation.ts';

let place: TestHome;
let klaus: Klaus;
let file: string;

beforeEach(async () => {
  place = createTestHome();
  klaus = await createKlaus({ home: place.home, cwd: place.workspace, env: place.env });
  file = join(place.workspace, '.claude/settings.json');
  const hook = toHookPath(place.home);
  write(hook, '#!/bin/sh\n');
  chmodSync(hook, 0o700);
  write(file, withGuard(readSettings(file), hook));
  await record();
});
afterEach(async () => {
  await klaus.close();
  place[Symbol.dispose]();
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const record = (uninstall = false) =>
  recordInstallation(
    klaus,
    {
      ...{ place: 'project', project: place.workspace, home: place.home, env: place.env, uninstall },
      ...{ socket: '', klaus: [], version: '1', deadlineMs: 1 },
    },
    file,
  );

/** Claude Code lists a session. */
function list(cwd: string, sessionId: string = randomUUID()): string {
  const pid = Math.trunc(Math.random() * 1e6);
  const text = JSON.stringify({ pid, sessionId, cwd, startedAt: Date.now() });
  write(join(place.env['HOME']!, `.claude/sessions/${pid}.json`), text);
  return sessionId;
}

/** A daemon that starts, checks once, and ends. */
async function check(): Promise<void> {
  const heartbeat = new Heartbeat({ klaus, home: place.home, env: place.env, graceMs: 0 });
  await heartbeat.check();
  heartbeat.close();
}

const missed = () =>
  readGuardStates(klaus.store.view)
    .filter(({ state }) => state === 'missed')
    .map(({ of }) => of);
const changes = (): Promise<HostEvent[]> => Array.fromAsync(klaus.store.hostEvents({ type: 'guard.changed' }));

test('an installation in a project concerns only sessions below it, once', async () => {
  const inside = list(join(place.workspace, 'src'));
  list('/elsewhere');
  const seen = list(place.workspace);
  await klaus.recordGuard({
    type: 'guard.observed',
    workspace: place.workspace,
    guarded: seen,
    what: 'started',
    text: '',
  });
  // A session that Klaus itself drives has an id of version 8.
  list(place.workspace, '0e0f2c5e-7f0c-8d7e-9c55-6a8d1f0c1a2b');
  await check();
  expect(missed()).toEqual([inside]);
  const count = (await changes()).length;
  await check();
  expect(await changes()).toHaveLength(count);
});

test('a session whose transcript is all that is left of it is reported by a daemon that starts', async () => {
  const session = randomUUID();
  const line = JSON.stringify({ type: 'user', cwd: place.workspace, sessionId: session });
  write(join(place.env['HOME']!, `.claude/projects/-workspace/${session}.jsonl`), `${line}\n`);
  await check();
  expect(missed()).toEqual([session]);
});

test('a change is recorded once, and nothing is after the guard was removed', async () => {
  const states = () => readGuardStates(klaus.store.view).map(({ state }) => state);
  await check();
  expect(states()).toEqual(['on']);
  write(join(place.env['HOME']!, '.claude/settings.json'), '{"disableAllHooks":true}');
  await check();
  await check();
  expect(states()).toEqual(['off']);
  expect((await changes()).map((event) => 'state' in event && event.state)).toEqual(['on', 'off']);
  await record(true);
  list(place.workspace);
  await check();
  expect(states()).toEqual([]);
});

test.each([
  ['comes back', (folder: string) => renameSync(`${folder}.away`, folder)],
  [
    'is replaced by a copy',
    (folder: string) => {
      cpSync(`${folder}.away`, folder, { recursive: true });
      rmSync(`${folder}.away`, { recursive: true });
    },
  ],
])('a folder of settings that %s while its loss is recorded is noticed', async (_, restore) => {
  const folder = dirname(file);
  const states = () => readGuardStates(klaus.store.view).map(({ state }) => state);
  let isAway = false;
  const heartbeat = new Heartbeat({
    klaus: {
      store: klaus.store,
      async recordGuard(entry) {
        const recorded = await klaus.recordGuard(entry);
        if (isAway) restore(folder);
        isAway = false;
        return recorded;
      },
    },
    home: place.home,
    env: place.env,
    graceMs: 0,
  });
  onTestFinished(() => heartbeat.close());
  await heartbeat.check();
  for (let round = 0; round < 2; round += 1) {
    isAway = true;
    renameSync(folder, `${folder}.away`);
    await expect.poll(() => isAway, { timeout: 20_000 }).toBe(false);
    await expect.poll(states, { timeout: 20_000 }).toEqual(['on']);
  }
});

/** A named pipe, which something else opens for writing as soon as it is opened for reading. */
function writePipe(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
  const writer = spawn('/bin/sh', ['-c', 'while : > "$0"; do :; done', path], { stdio: 'ignore' });
  onTestFinished(() => void writer.kill('SIGKILL'));
}

test('settings, lists of sessions and transcripts that are named pipes are not opened', async () => {
  const home = join(place.env['HOME']!, '.claude');
  rmSync(file);
  for (const path of [file, join(home, 'settings.json')]) writePipe(path);
  writePipe(join(home, `sessions/1.json`));
  writePipe(join(home, `projects/-workspace/${randomUUID()}.jsonl`));
  await check();
  const [state] = readGuardStates(klaus.store.view);
  expect(state).toMatchObject({ state: 'off', reason: expect.stringContaining('no regular file') });
  expect(missed()).toEqual([]);
});
