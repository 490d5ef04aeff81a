import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { canMount, mountMemory } from '../fixtures/disk.ts';
import { untilGone } from '../roof/roof.ts';
import type { HookPlace } from './hook-place.ts';

/** Breaks the place. Returns what ends the fault, if something must. */
export type Break = (place: HookPlace) => void | (() => void) | Promise<void | (() => void)>;

const setProgram =
  (text: string, mode = 0o700): Break =>
  ({ program }) => {
    writeFileSync(program, text);
    chmodSync(program, mode);
  };

export const change =
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

/** Curl asks the daemon. */
const withoutPerl =
  (breakIt: Break): Break =>
  (place) => {
    void change('command -v perl', 'command -v no_such_program')(place);
    return breakIt(place);
  };

export async function stopDaemon({ daemons }: HookPlace): Promise<void> {
  for (const pid of daemons()) process.kill(pid, 'SIGKILL');
  await untilGone(daemons);
}

export const FAULTS: Readonly<Record<string, Break>> = {
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
  'Perl cannot be started': change('exec perl', 'exec /nowhere/perl'),
  'Perl does not understand the program': change('my ($hook,', 'my (($hook,'),
  'Perl is killed': change('alarm $seconds;', 'kill 9, $$;'),
  'Perl is killed after the answer': change('print "$body\\n";', '$| = 1; print "$body\\n"; kill 9, $$;'),
  'Perl prints a warning before the answer': change('print "$body\\n";', 'print "warning\\n$body\\n";'),
  'the daemon hangs': ({ daemons }) => {
    const pids = daemons();
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    return () => pids.forEach((pid) => process.kill(pid, 'SIGCONT'));
  },
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
  'another program answers without an end': answerWith((socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 200 OK\r\n'), 100);
    socket.on('close', () => clearInterval(timer));
  }),
  'without Perl, another program answers with garbage': withoutPerl(answerWith((socket) => socket.end('garbage\n'))),
  'without Perl, another program answers with 500': withoutPerl(http('500 Internal Server Error', '{}')),
  'without Perl, another program answers with a page': withoutPerl(http('200 OK', '<html></html>')),
  'without Perl, another program answers with nothing': withoutPerl(http('200 OK', '')),
  'without Perl, another program answers with a list': withoutPerl(http('200 OK', '[]')),
  'without Perl, another program never answers': withoutPerl(answerWith(() => {})),
  'the database is locked': ({ place }) => {
    const database = new DatabaseSync(join(place.home, 'klaus.db'));
    database.exec('BEGIN IMMEDIATE');
    return () => database.close();
  },
};

/** Faults that cannot be repaired: each has a place of its own. */
export const FINAL: Readonly<Record<string, Break>> = {
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
  ...(canMount && {
    'the disk of the state folder is full': async (place) => {
      await stopDaemon(place);
      const { home } = place.place;
      renameSync(home, `${home}.kept`);
      const disk = mountMemory(home);
      cpSync(`${home}.kept`, home, { recursive: true });
      expect((await place.call()).outcome).toBe('pass');
      disk.fill();
      return () => disk[Symbol.dispose]();
    },
  }),
};

/** Faults that Klaus repairs: the call is judged. */
export const HEALED: Readonly<Record<string, Break>> = {
  'another program closes at once': answerWith((socket) => socket.destroy()),
  'another program answers with half of it': http('200 OK', '{"hook', 100),
  'the daemon has another version': change('klaus-version: ', 'klaus-version: 0.0.1-'),
  'the daemon was killed': stopDaemon,
  'the hook is not executable': ({ program }) => chmodSync(program, 0o600),
  'without Perl, another program closes at once': withoutPerl(answerWith((socket) => socket.destroy())),
  'without Perl, another program answers with half of it': withoutPerl(http('200 OK', '{"hook', 100)),
  'without Perl, the daemon was killed': withoutPerl(stopDaemon),
  'without Perl, curl is killed': withoutPerl(change('| curl', '| sh -c "kill -9 \\$\\$"')),
};
