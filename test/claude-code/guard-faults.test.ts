// Covers apps/claude-code/hooks/install, apps/cli/commands/guard: no fault lets a call of Claude Code pass silently.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { change, FAULTS, FINAL, HEALED, stopDaemon } from './hook-faults.ts';
import { type HookPlace, openHooks } from './hook-place.ts';
import { SETTINGS } from './settings-faults.ts';
import { splitCases } from '../fixtures/split-cases.ts';

/** `GUARD_FAULTS=all` tries each fault; a usual run tries one of four of each kind. */
const isComplete = process.env['GUARD_FAULTS'] === 'all';
const timeout = isComplete ? 600_000 : 120_000;
const sample = <T>(faults: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(faults).filter((_, at) => isComplete || at % 4 === 0);

async function expectDenied(place: HookPlace): Promise<void> {
  const { outcome, stderr, stdout } = await place.call();
  expect({ outcome, isSilent: stderr + stdout === '' }).toEqual({ outcome: 'deny', isSilent: false });
}

describe('a fault', () => {
  let place: HookPlace;
  let text: string;
  beforeAll(async () => {
    place = await openHooks();
    text = readFileSync(place.program, 'utf8');
  });
  afterAll(() => place[Symbol.asyncDispose]());

  /** The hook as it was installed. What is no socket of a daemon is removed. */
  function repair(): void {
    rmSync(place.program, { recursive: true, force: true });
    writeFileSync(place.program, text, { mode: 0o700 });
    if (place.daemons().length === 0) rmSync(place.socket, { recursive: true, force: true });
  }

  for (const { cases, tags } of splitCases(sample(FAULTS), 2))
    test.for(cases)('%s: the call is denied', { tags, timeout }, async ([, breakIt]) => {
      expect((await place.call()).outcome).toBe('pass');
      const end = await breakIt(place);
      try {
        await expectDenied(place);
      } finally {
        end?.();
        if (!existsSync(place.socket)) await stopDaemon(place);
        repair();
      }
    });

  for (const { cases, tags } of splitCases(sample(HEALED), 1))
    test.for(cases)('%s: the call is judged', { tags, timeout }, async ([, breakIt]) => {
      const end = await breakIt(place);
      try {
        expect((await place.call(place.toEvent(HARMFUL))).outcome).toBe('ask');
      } finally {
        end?.();
        await stopDaemon(place);
        repair();
      }
    });
});

test.for(sample(FINAL))('%s: the call is denied', { timeout }, async ([, breakIt]) => {
  await using place = await openHooks();
  expect((await place.call()).outcome).toBe('pass');
  const end = await breakIt(place);
  try {
    await expectDenied(place);
  } finally {
    end?.();
  }
});

/** Events and environments that must not change the verdict on a harmful command. */
const HARMFUL = 'rm -rf ~/precious';
const ODD: Readonly<Record<string, (place: HookPlace) => Parameters<HookPlace['call']>>> = {
  'no event': () => [''],
  'no JSON': () => ['hello'],
  'a list': () => ['[]'],
  'no session': ({ toEvent }) => [toEvent(HARMFUL, { session_id: undefined })],
  'no name of the event': ({ toEvent }) => [toEvent(HARMFUL, { hook_event_name: undefined })],
  'unknown fields': ({ toEvent }) => [toEvent(HARMFUL, { future: { of: ['hooks'] } })],
  'an unknown tool': ({ toEvent }) => [toEvent(HARMFUL, { tool_name: 'Teleport' })],
  'no input': ({ toEvent }) => [toEvent(HARMFUL, { tool_input: undefined })],
  'a number as the command': ({ toEvent }) => [toEvent(HARMFUL, { tool_input: { command: 7 } })],
  'no tool': ({ toEvent }) => [toEvent(HARMFUL, { tool_name: undefined })],
  'a megabyte': ({ toEvent }) => [toEvent(`${HARMFUL} # ${'x'.repeat(1_000_000)}`)],
  'bytes that are no text': ({ toEvent }) => [
    Buffer.concat([Buffer.from(toEvent(HARMFUL)), Buffer.from([0xff, 0xfe])]),
  ],
  'a folder that does not exist': ({ toEvent }) => [toEvent(HARMFUL, { cwd: '/nowhere' }), { CLAUDE_PROJECT_DIR: '' }],
  'a project that does not exist': ({ toEvent }) => [toEvent(HARMFUL), { CLAUDE_PROJECT_DIR: '/nowhere' }],
  'a project with a line break': ({ toEvent }) => [toEvent(HARMFUL), { CLAUDE_PROJECT_DIR: '/tmp\nklaus-version: 0' }],
  'a transcript that is a folder': ({ toEvent, place }) => [toEvent(HARMFUL, { transcript_path: place.workspace })],
  'a transcript that is a named pipe': ({ toEvent, place }) => {
    execFileSync('mkfifo', [join(place.workspace, 'pipe.jsonl')]);
    return [toEvent(HARMFUL, { transcript_path: join(place.workspace, 'pipe.jsonl') })];
  },
  'a transcript without an end': ({ toEvent }) => [toEvent(HARMFUL, { transcript_path: '/dev/zero' })],
  'a transcript that is a terminal': ({ toEvent }) => [toEvent(HARMFUL, { transcript_path: '/dev/tty' })],
  'an empty PATH': ({ toEvent }) => [toEvent(HARMFUL), { PATH: '' }],
  'a PATH of the project': ({ toEvent, place }) => [toEvent(HARMFUL), { PATH: place.workspace }],
  'a proxy': ({ toEvent }) => [toEvent(HARMFUL), { http_proxy: 'http://127.0.0.1:9', ALL_PROXY: 'http://127.0.0.1:9' }],
  'a module of Perl in the project': ({ toEvent, place }) => {
    writeFileSync(join(place.workspace, 'Evil.pm'), 'print "{}"; exit 0;\n');
    return [toEvent(HARMFUL), { PERL5OPT: '-MEvil', PERL5LIB: place.workspace }];
  },
  'settings of curl': ({ toEvent, place }) => {
    writeFileSync(join(place.env['HOME']!, '.curlrc'), 'output = /dev/null\n');
    return [toEvent(HARMFUL)];
  },
};

test('odd events and environments do not let a harmful call pass', { timeout }, async () => {
  await using place = await openHooks();
  for (const [name, toCall] of Object.entries(ODD)) {
    const { outcome } = await place.call(...toCall(place));
    expect({ name, isStopped: outcome !== 'pass' }).toEqual({ name, isStopped: true });
  }
  expect((await place.call()).outcome).toBe('pass');
});

/** What asks the daemon if other programs are missing. */
const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  'Perl asks the daemon, without curl and Klaus': ['curl', `'${process.execPath}'`],
  'curl asks the daemon, without Perl and Klaus': ['command -v perl', `'${process.execPath}'`],
  'Klaus asks the daemon, without Perl and curl': ['command -v perl', 'command -v curl'],
};

for (const { cases, tags } of splitCases(Object.entries(CLIENTS), 2))
  test.for(cases)('%s', { tags, timeout }, async ([, missing]) => {
    await using place = await openHooks();
    expect((await place.call()).outcome).toBe('pass');
    for (const program of missing) await change(program, 'command -v no_such_program')(place);
    expect((await place.call()).outcome).toBe('pass');
    expect((await place.call(place.toEvent(HARMFUL))).outcome).toBe('ask');
  });

test('the doctor reports faults of the settings', { timeout }, async () => {
  await using place = await openHooks();
  const paths = [place.settings, place.program];
  const texts = paths.map((path) => readFileSync(path, 'utf8'));
  for (const [name, [breakIt, fact]] of sample(SETTINGS)) {
    await breakIt(place);
    const { code, stdout } = await place.klaus('guard', 'doctor', '--json');
    const { facts } = JSON.parse(stdout) as { facts: { name: string; status: string }[] };
    const broken = facts.filter(({ status }) => status === 'fail').map((found) => found.name);
    expect({ name, code, broken }).toEqual({ name, code: 1, broken: expect.arrayContaining([fact]) as unknown });
    for (const [at, path] of paths.entries()) {
      rmSync(path, { recursive: true, force: true });
      writeFileSync(path, texts[at]!, { mode: 0o700 });
    }
    rmSync(join(place.place.workspace, '.claude'), { recursive: true, force: true });
  }
  expect((await place.klaus('guard', 'doctor')).code).toBe(0);
});
