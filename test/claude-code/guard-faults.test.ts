// Covers apps/claude-code/hooks/install, apps/cli/commands/guard: no fault lets a call of Claude Code pass silently.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilGone } from '../roof/roof.ts';
import { type HookPlace, openHooks } from './hook-place.ts';

const timeout = 120_000;
/** `GUARD_FAULTS=all` tries each fault; a usual run tries one of four of each kind. */
const isComplete = process.env['GUARD_FAULTS'] === 'all';
const sample = <T>(faults: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(faults).filter((_, at) => isComplete || at % 4 === 0);

/** Breaks the place. Returns what ends the fault, if something must. */
type Break = (place: HookPlace) => void | (() => void) | Promise<void | (() => void)>;

const setProgram =
  (text: string, mode = 0o700): Break =>
  ({ program }) => {
    writeFileSync(program, text);
    chmodSync(program, mode);
  };

const change =
  (from: string, to: string): Break =>
  ({ program }) => {
    const text = readFileSync(program, 'utf8');
    if (!text.includes(from)) throw new Error(`no ${from} in the hook`);
    writeFileSync(program, text.replaceAll(from, to));
  };

/** Another program at the socket of the daemon. */
const answerWith =
  (answer: (socket: Socket) => void): Break =>
  async (place) => {
    await stopDaemon(place);
    rmSync(place.socket, { force: true });
    const server: Server = createServer((socket) => {
      socket.on('error', () => {});
      answer(socket);
    });
    await new Promise<void>((resolve) => server.listen(place.socket, resolve));
    return () => void server.close();
  };

const http = (status: string, body: string, length = body.length): Break =>
  answerWith((socket) =>
    socket.once('data', () =>
      socket.end(`HTTP/1.1 ${status}\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${body}`),
    ),
  );

async function stopDaemon({ daemons }: HookPlace): Promise<void> {
  for (const pid of daemons()) process.kill(pid, 'SIGKILL');
  await untilGone(daemons);
}

const FAULTS: Readonly<Record<string, Break>> = {
  'the hook is missing': ({ program }) => rmSync(program),
  'the hook is empty': setProgram(''),
  'the hook is a folder': ({ program }) => {
    rmSync(program);
    mkdirSync(program);
  },
  'the hook is a link to nothing': ({ program }) => {
    rmSync(program);
    symlinkSync('/nowhere/hook', program);
  },
  'the hook has no interpreter': setProgram('#!/nowhere/sh\n'),
  'the hook exits with 1': setProgram('#!/bin/sh\nexit 1\n'),
  'the hook exits with 127': setProgram('#!/bin/sh\nno_such_program_at_all\n'),
  'the hook prints nothing': setProgram('#!/bin/sh\nexit 0\n'),
  'the hook prints text': setProgram('#!/bin/sh\necho hello\n'),
  'the hook prints a line before the answer': setProgram('#!/bin/sh\necho starting\necho "{}"\n'),
  'the hook prints half an answer': setProgram('#!/bin/sh\nprintf \'{"hookSpecificOutput":\'\n'),
  'the hook prints an answer and fails': setProgram('#!/bin/sh\necho "{}"\nexit 1\n'),
  'the hook is killed': setProgram('#!/bin/sh\nexec sh -c "kill -9 \\$\\$"\n'),
  'the hook is cut off': ({ program }) => writeFileSync(program, readFileSync(program, 'utf8').slice(0, 300)),
  'Klaus is missing, and no daemon runs': async (place) => {
    await change(`'${process.execPath}'`, `'/nowhere/node'`)(place);
    await stopDaemon(place);
  },
  'the socket is a file, and Klaus is missing': async (place) => {
    await change(`'${process.execPath}'`, `'/nowhere/node'`)(place);
    await stopDaemon(place);
    rmSync(place.socket, { force: true });
    writeFileSync(place.socket, '');
  },
  'the socket was deleted': ({ socket }) => rmSync(socket),
  'the socket is a folder': async (place) => {
    await stopDaemon(place);
    rmSync(place.socket, { force: true });
    mkdirSync(place.socket);
  },
  'another program answers with garbage': answerWith((socket) => socket.end('garbage\n')),
  'another program answers with 500': http('500 Internal Server Error', '{}'),
  'another program answers with 404': http('404 Not Found', '{}'),
  'another program redirects': http('302 Found\r\nlocation: /', ''),
  'another program answers with a page': http('200 OK', '<html></html>'),
  'another program answers with nothing': http('200 OK', ''),
  'another program answers with a list': http('200 OK', '[]'),
  'another program never answers': answerWith(() => {}),
  'the database is locked': ({ place }) => {
    const database = new DatabaseSync(join(place.home, 'klaus.db'));
    database.exec('BEGIN IMMEDIATE');
    return () => database.close();
  },
};

/** Faults that cannot be repaired: each has a place of its own. */
const FINAL: Readonly<Record<string, Break>> = {
  'the state folder is missing': async (place) => {
    await stopDaemon(place);
    rmSync(place.place.home, { recursive: true });
  },
  'the database is garbage': async (place) => {
    await stopDaemon(place);
    for (const end of ['-wal', '-shm']) rmSync(join(place.place.home, `klaus.db${end}`), { force: true });
    writeFileSync(join(place.place.home, 'klaus.db'), 'garbage '.repeat(1_000));
  },
  'the policy of the project is invalid': ({ place }) => {
    mkdirSync(join(place.workspace, '.klaus'));
    writeFileSync(join(place.workspace, '.klaus/policy.yaml'), 'deny: [unclosed\n');
  },
  'the configuration of the user is invalid': async (place) => {
    await stopDaemon(place);
    writeFileSync(join(place.place.home, 'config.yaml'), 'guard: [unclosed\n');
  },
};

/** Faults that Klaus repairs: the call is judged. */
const HEALED: Readonly<Record<string, Break>> = {
  'another program closes at once': answerWith((socket) => socket.destroy()),
  'another program answers with half of it': http('200 OK', '{"hook', 100),
  'the daemon has another version': change('klaus-version: ', 'klaus-version: 0.0.1-'),
  'the daemon was killed': stopDaemon,
  'the hook is not executable': ({ program }) => chmodSync(program, 0o600),
};

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

  test.for(sample(FAULTS))('%s: the call is denied', { timeout }, async ([, breakIt]) => {
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

  test.for(sample(HEALED))('%s: the call is judged', { timeout }, async ([, breakIt]) => {
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
  await breakIt(place);
  await expectDenied(place);
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
  'an empty PATH': ({ toEvent }) => [toEvent(HARMFUL), { PATH: '' }],
  'a PATH of the project': ({ toEvent, place }) => [toEvent(HARMFUL), { PATH: place.workspace }],
  'a proxy': ({ toEvent }) => [toEvent(HARMFUL), { http_proxy: 'http://127.0.0.1:9', ALL_PROXY: 'http://127.0.0.1:9' }],
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

test.for(Object.entries(CLIENTS))('%s', { timeout }, async ([, missing]) => {
  await using place = await openHooks();
  expect((await place.call()).outcome).toBe('pass');
  for (const program of missing) await change(program, 'command -v no_such_program')(place);
  expect((await place.call()).outcome).toBe('pass');
  expect((await place.call(place.toEvent(HARMFUL))).outcome).toBe('ask');
});

/** Faults of the settings: no call reaches the guard, so the doctor reports them. */
const SETTINGS: Readonly<Record<string, [break_: Break, fact: string]>> = {
  'disableAllHooks of the user': [({ settings }) => setSettings(settings, { disableAllHooks: true }), 'switched off'],
  'disableAllHooks of the project': [
    ({ place }) => setSettings(join(place.workspace, '.claude/settings.json'), { disableAllHooks: true }),
    'switched off',
  ],
  'disableAllHooks of the project, not committed': [
    ({ place }) => setSettings(join(place.workspace, '.claude/settings.local.json'), { disableAllHooks: true }),
    'switched off',
  ],
  'settings that are no JSON': [({ settings }) => writeFileSync(settings, '{'), 'settings'],
  'one invalid entry among the hooks': [
    ({ settings }) => {
      const { hooks } = JSON.parse(readFileSync(settings, 'utf8')) as { hooks: object };
      writeFileSync(settings, JSON.stringify({ hooks: { ...hooks, Stop: 'x' } }));
    },
    'settings',
  ],
  'hooks that were removed': [({ settings }) => writeFileSync(settings, '{}'), 'settings'],
  'a hook of another version': [({ program }) => writeFileSync(program, '#!/bin/sh\necho "{}"\n'), 'hook'],
};

function setSettings(file: string, value: object): void {
  mkdirSync(join(file, '..'), { recursive: true });
  let before: object = {};
  try {
    before = JSON.parse(readFileSync(file, 'utf8')) as object;
  } catch {
    // There is none yet.
  }
  writeFileSync(file, JSON.stringify({ ...before, ...value }));
}

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
    for (const [at, path] of paths.entries()) writeFileSync(path, texts[at]!);
    rmSync(join(place.place.workspace, '.claude'), { recursive: true, force: true });
  }
  expect((await place.klaus('guard', 'doctor')).code).toBe(0);
});
