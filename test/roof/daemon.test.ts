// Covers apps/cli/daemon, apps/server/runs: the start and the end of the daemon.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKlaus, toEnv, toEvents } from '../fixtures/klaus.ts';
import { canMount, mountMemory } from '../fixtures/disk.ts';
import { createRoof, ENDLESS, type Roof, SLOW, toError, untilGone, WRITE } from './roof.ts';

test('two starts at once have one daemon', async () => {
  await using roof = await createRoof();
  const ids = await Promise.all([roof.start(), roof.start(), roof.start()]);
  expect((await roof.klaus('wait', ...ids.flat())).code).toBe(0);
  expect(roof.daemons()).toEqual([roof.descriptor()?.pid]);
});

test('a daemon that is killed in the middle is started again, and every session resumes', async () => {
  await using roof = await createRoof({ env: { AGENT_MAX_CONCURRENT_SESSIONS: '2' } });
  const ids = await roof.start('--count', '3');
  await roof.logged(ids[0]!, 'turn.started');
  const [killed] = roof.daemons();
  process.kill(killed!, 'SIGKILL');
  await untilGone(roof.daemons);
  expect(await roof.status(ids[0]!)).toMatchObject({ state: 'interrupted', isServed: true });
  expect(await roof.status(ids[2]!)).toMatchObject({ state: 'queued', isServed: true });
  expect((await roof.klaus('wait', ...ids)).code).toBe(0);
  expect(roof.daemons()).not.toContain(killed);
  for (const id of ids) {
    const log = toEvents((await roof.klaus('logs', id, '--json')).stdout);
    expect(log.filter(({ type }) => type === 'run.finished')).toHaveLength(1);
    expect(log.flatMap((event) => (event.type === 'tool.finished' ? [event.outcome] : []))).toEqual(['ok']);
  }
});

test('a command that follows a session starts the daemon again', { tags: ['long'] }, async () => {
  await using roof = await createRoof();
  const followed = roof.begin('start', 'klaus', 'do it', '--json');
  await followed.printed('stdout', 'turn.started');
  for (const pid of roof.daemons()) process.kill(pid, 'SIGKILL');
  const { code, stdout } = await followed.ended;
  expect(code).toBe(0);
  expect(toEvents(stdout)).toContainEqual(expect.objectContaining({ type: 'run.finished', outcome: 'done' }));
});

test('a session whose folder is gone does not run, and reports why', { tags: ['long'] }, async () => {
  await using roof = await createRoof();
  const [id] = await roof.start();
  await roof.logged(id!, 'turn.started');
  for (const pid of roof.daemons()) process.kill(pid, 'SIGKILL');
  await untilGone(roof.daemons);
  rmSync(roof.place.workspace, { recursive: true });
  mkdirSync(join(roof.place.home, '../elsewhere'));
  const elsewhere = { place: roof.place, server: roof.model, cwd: join(roof.place.home, '../elsewhere') };
  const status = JSON.parse((await runKlaus(['status', id!, '--json'], elsewhere)).stdout) as unknown;
  expect(status).toMatchObject({ state: 'interrupted', problem: { code: 'workspace.missing' } });
  const requests = roof.model.requests.length;
  // Starts a daemon, which tries to resume it.
  const refused = await runKlaus(['message', id!, 'please continue', '--json'], elsewhere);
  expect({ code: refused.code, error: toError(refused).code }).toEqual({ code: 2, error: 'workspace.missing' });
  expect(roof.daemons()).toHaveLength(1);
  expect((await runKlaus(['wait', id!, '--json'], elsewhere)).code).toBe(2);
  expect(roof.model.requests).toHaveLength(requests);
});

test('an idle daemon ends, also while a session waits for an approval', { tags: ['long'] }, async () => {
  await using roof = await createRoof({ script: WRITE, env: { KLAUS_SERVER_IDLE_EXIT: '1' } });
  const [id] = await roof.start('--approve', 'ask');
  expect((await roof.klaus('wait', id!, '--needs-you')).code).toBe(8);
  await untilGone(roof.daemons);
  expect(roof.descriptor()).toBeUndefined();
  const { waitsFor } = await roof.status(id!);
  expect((await roof.klaus('approve', waitsFor[0]!.approval)).code).toBe(0);
  expect(await roof.status(id!)).toMatchObject({ state: 'done' });
  expect(existsSync(join(roof.place.workspace, 'new.txt'))).toBe(true);
});

test('a daemon with work does not end', { tags: ['long'] }, async () => {
  await using roof = await createRoof({ script: SLOW, env: { KLAUS_SERVER_IDLE_EXIT: '1' } });
  const [id] = await roof.start();
  const pids = roof.daemons();
  expect((await roof.klaus('wait', id!)).code).toBe(0);
  // One daemon did it: the wait started no other.
  const log = toEvents((await roof.klaus('logs', id!, '--json')).stdout);
  expect(log.filter(({ type }) => type === 'turn.started')).toHaveLength(2);
  expect(pids).toHaveLength(1);
  await untilGone(roof.daemons);
});

test('the socket of a killed server, and a file in its place, are replaced', { tags: ['long'] }, async () => {
  await using roof = await createRoof();
  const folder = join(roof.place.home, 'server');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'klaus.sock'), 'no socket');
  const [first] = await roof.start();
  expect((await roof.klaus('wait', first!)).code).toBe(0);
  for (const pid of roof.daemons()) process.kill(pid, 'SIGKILL');
  await untilGone(roof.daemons);
  expect(existsSync(join(folder, 'klaus.sock'))).toBe(true);
  expect(await roof.start()).toHaveLength(1);
});

test('a socket path that is too long, a folder that cannot be written, and another program are reported', async () => {
  await using roof = await createRoof();
  const start = (env: Record<string, string>) =>
    runKlaus(['start', 'klaus', 'do it', '--detach', '--json'], { place: roof.place, server: roof.model, env });
  const long = await start({ KLAUS_HOME: join(roof.place.home, 'x'.repeat(100)) });
  expect({ code: long.code, error: toError(long).code }).toEqual({ code: 3, error: 'config' });
  expect(toError(long).hint).toContain('KLAUS_HOME');
  const file = join(roof.place.workspace, 'file');
  writeFileSync(file, '');
  const blocked = await start({ KLAUS_HOME: file });
  expect({ code: blocked.code, error: toError(blocked).code }).toEqual({ code: 3, error: 'config' });
  const wrong = await start({ KLAUS_SERVER_IDLE_EXIT: 'soon' });
  expect({ code: wrong.code, error: toError(wrong).code }).toEqual({ code: 3, error: 'config' });
  mkdirSync(join(roof.place.home, 'server'), { recursive: true, mode: 0o700 });
  const other = createServer((connection) => connection.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'));
  other.listen(join(roof.place.home, 'server', 'klaus.sock'));
  await once(other, 'listening');
  const foreign = await start({});
  other.close();
  expect({ code: foreign.code, error: toError(foreign).code }).toEqual({ code: 3, error: 'config' });
});

test.skipIf(!canMount)('a full disk is reported', async () => {
  await using roof = await createRoof();
  const home = join(roof.place.home, '..', 'small');
  using disk = mountMemory(home);
  disk.fill();
  const words = ['start', 'klaus', 'do it', '--detach', '--json'];
  const full = await runKlaus(words, { place: roof.place, server: roof.model, env: { KLAUS_HOME: home } });
  expect({ code: full.code, error: toError(full).code }).toEqual({ code: 1, error: 'store.full' });
});

/** Starts a server of version 0.0.1. */
async function startOther(roof: Roof, ...words: string[]) {
  const program = join(import.meta.dirname, 'other-version.ts');
  const child = spawn(process.execPath, [program, ...words], {
    env: toEnv({ place: roof.place, server: roof.model }),
    cwd: roof.place.workspace,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    pid: child.pid!,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('an idle daemon of another version is replaced', { tags: ['long'] }, async () => {
  await using roof = await createRoof();
  await using other = await startOther(roof);
  const [id] = await roof.start();
  expect((await other.ended)[0]).toBe(0);
  expect(roof.descriptor()).toMatchObject({ pid: roof.daemons()[0] });
  expect((await roof.klaus('wait', id!)).code).toBe(0);
});

test(
  'a daemon of another version that works is not ended, and neither is a server that a user started',
  { tags: ['long'] },
  async () => {
    await using roof = await createRoof({ script: ENDLESS });
    const start = ['start', 'klaus', 'do it', '--detach', '--json'];
    {
      await using other = await startOther(roof);
      const { code } = await roof.klaus(...start, '--server', roof.descriptor()!.url);
      expect(code).toBe(0);
      const refused = await roof.klaus(...start);
      expect({ code: refused.code, error: toError(refused).code }).toEqual({ code: 9, error: 'store.busy' });
      expect(toError(refused).hint).toContain(String(other.pid));
      expect(roof.descriptor()).toMatchObject({ pid: other.pid, version: '0.0.1' });
    }
    await using typed = await startOther(roof, '--typed');
    const refused = await roof.klaus(...start);
    expect({ code: refused.code, error: toError(refused).code }).toEqual({ code: 3, error: 'config' });
    expect(roof.descriptor()).toMatchObject({ pid: typed.pid, isDaemon: false });
  },
);

test.runIf(process.getuid?.() === 0)(
  'a state folder of another user is refused, and nothing is sent to a socket in it',
  async () => {
    await using roof = await createRoof();
    const { home } = roof.place;
    mkdirSync(join(home, 'server'), { recursive: true });
    const received: string[] = [];
    const other = createServer((connection) => connection.on('data', (piece) => received.push(String(piece))));
    other.listen(join(home, 'server', 'klaus.sock'));
    await once(other, 'listening');
    chownSync(home, 65_534, 65_534);
    const ended = await roof.klaus('start', 'klaus', 'a private prompt', '--json');
    expect(toError(ended)).toMatchObject({ code: 'config' });
    expect(received).toEqual([]);
    other.close();
  },
);
