// Covers apps/claude-code/hooks/heartbeat, sdk/guard-log: the daemon reports that the guard is off, and sessions without it.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createKlaus, type Klaus } from '@klaus/sdk';
import { type GuardState, readGuardStates } from '@klaus/sdk/guard-log';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLAUDE_CODE_TIMEOUT, needClaudeCode, runClaudeCode, toClaudeCodeEnv } from '../fixtures/claude-code.ts';
import { untilGone } from '../roof/roof.ts';
import { type HookPlace, openHooks } from './hook-place.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const timeout = 120_000;
const WAIT = { timeout: 30_000, interval: 100 };

let it: HookPlace;
let klaus: Klaus;

beforeAll(async () => {
  it = await openHooks();
  klaus = await createKlaus({ home: it.place.home, cwd: it.place.workspace, env: it.place.env });
}, timeout);
afterAll(async () => {
  await klaus?.close();
  await it?.[Symbol.asyncDispose]();
});

const states = (): GuardState[] => readGuardStates(klaus.store.view);
const state = () => states().find((each) => each.of === it.settings)?.state;
const edit = (change: (settings: Record<string, unknown>) => void): void => {
  const settings = JSON.parse(readFileSync(it.settings, 'utf8')) as Record<string, unknown>;
  change(settings);
  writeFileSync(it.settings, JSON.stringify(settings));
};

/** Breaks the guard. Returns what restores it. */
type Break = () => () => void;

const replace =
  (toFile: () => string, text: string): Break =>
  () => {
    const file = toFile();
    const before = existsSync(file) ? readFileSync(file) : undefined;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return () => (before === undefined ? rmSync(file) : writeFileSync(file, before));
  };

const OFF = '{"disableAllHooks":true}';
const remove =
  (toPath: () => string): Break =>
  () => {
    renameSync(toPath(), `${toPath()}.away`);
    return () => renameSync(`${toPath()}.away`, toPath());
  };

const FAULTS: Readonly<Record<string, Break>> = {
  'all hooks are disabled in the settings': () => {
    edit((settings) => (settings['disableAllHooks'] = true));
    return () => edit((settings) => delete settings['disableAllHooks']);
  },
  'all hooks are disabled in the settings of the project': replace(
    () => join(it.place.workspace, '.claude/settings.json'),
    OFF,
  ),
  'all hooks are disabled in the local settings of the project': replace(
    () => join(it.place.workspace, '.claude/settings.local.json'),
    OFF,
  ),
  'the settings are deleted': remove(() => it.settings),
  'the folder of the settings is deleted': remove(() => dirname(it.settings)),
  'the settings are no JSON': replace(() => it.settings, '{"hooks":'),
  'the hooks are removed': replace(() => it.settings, '{}'),
  'another hook is invalid': () => {
    const before = readFileSync(it.settings);
    edit((settings) => ((settings['hooks'] as Record<string, unknown>)['Notification'] = [{ hooks: [{}] }]));
    return () => writeFileSync(it.settings, before);
  },
  'the hook program is deleted': remove(() => it.program),
  'the hook program is not executable': () => {
    chmodSync(it.program, 0o600);
    return () => chmodSync(it.program, 0o700);
  },
  'the hook program is another one': replace(() => it.program, '#!/bin/sh\necho "{}"\n'),
};

describe('the daemon reports without a call', () => {
  test.for(Object.entries(FAULTS))('%s', { timeout }, async ([, breakIt]) => {
    expect(await it.call()).toMatchObject({ outcome: 'pass' });
    await expect.poll(() => state(), WAIT).toBe('on');
    const restore = breakIt();
    try {
      await expect.poll(() => state(), WAIT).toBe('off');
    } finally {
      restore();
    }
    await expect.poll(() => state(), WAIT).toBe('on');
  });
});

test('a report is what needs the user, until it is dismissed', { timeout }, async () => {
  const restore = FAULTS['all hooks are disabled in the settings']!();
  await expect.poll(() => state(), WAIT).toBe('off');
  const { stderr } = await it.klaus('attention');
  expect(stderr).toContain('disableAllHooks');
  expect((await it.klaus('guard', 'dismiss', it.settings)).code).toBe(0);
  expect((await it.klaus('attention')).stderr).not.toContain('disableAllHooks');
  expect(states()).toMatchObject([{ of: it.settings, state: 'off', isDismissed: true }]);
  restore();
  await expect.poll(() => state(), WAIT).toBe('on');
});

test('a daemon that starts reports what was switched off before', { timeout }, async () => {
  for (const pid of it.daemons()) process.kill(pid, 'SIGKILL');
  await untilGone(it.daemons);
  const restore = FAULTS['all hooks are disabled in the settings']!();
  await it.call();
  await expect.poll(() => state(), WAIT).toBe('off');
  restore();
  await expect.poll(() => state(), WAIT).toBe('on');
});

const missed = (): string[] => states().flatMap(({ state: found, of }) => (found === 'missed' ? [of] : []));

for (const { cases, tags } of splitCases(
  [
    ['switches the hooks off', ['--settings', OFF], () => ({})],
    ['uses another configuration', [], () => ({ CLAUDE_CONFIG_DIR: join(it.place.env['HOME']!, 'other') })],
  ] as const,
  1,
))
  test.for(cases)(
    'a session that %s is reported',
    { tags, timeout: CLAUDE_CODE_TIMEOUT },
    async ([, words, toEnv], context) => {
      const program = await needClaudeCode(context);
      const session = randomUUID();
      // It waits for messages.
      const child = spawn(
        program,
        [
          '-p',
          '--input-format=stream-json',
          '--output-format=stream-json',
          '--verbose',
          '--session-id',
          session,
          ...words,
        ],
        {
          cwd: it.place.workspace,
          env: { ...toClaudeCodeEnv(it.place, it.model.url), ...toEnv() },
          stdio: ['pipe', 'ignore', 'ignore'],
        },
      );
      const ended = once(child, 'close');
      try {
        const look = async () => {
          // Another session works at the same time.
          await it.call();
          return missed();
        };
        await expect.poll(look, { ...WAIT, timeout: 40_000 }).toEqual([session]);
      } finally {
        child.kill('SIGKILL');
        await ended;
      }
      expect((await it.klaus('guard', 'dismiss')).code).toBe(0);
      expect(missed()).toEqual([]);
    },
  );

test(
  'a session with the guard is not reported, and one that ended before a check is',
  { timeout: CLAUDE_CODE_TIMEOUT },
  async (context) => {
    const program = await needClaudeCode(context);
    const run = (...words: string[]) =>
      runClaudeCode(['-p', 'Hello.', ...words], { program, place: it.place, url: it.model.url });
    expect(await run()).toMatchObject({ code: 0 });
    const session = randomUUID();
    await run('--session-id', session, '--settings', OFF);
    await expect.poll(missed, { ...WAIT, timeout: 40_000 }).toEqual([session]);
  },
);

test('an uninstalled guard is not watched', { timeout }, async () => {
  expect((await it.klaus('guard', 'install', '--uninstall')).code).toBe(0);
  expect(states().filter(({ place }) => place !== undefined)).toEqual([]);
});
