// Covers apps/cli/instance: the file of a socket: too long a path, a stale one, one in use, one in the project or of others.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runKlaus } from '../fixtures/klaus.ts';
import { openInstancePlace } from './open-instance.ts';

const folderOf = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), name));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

async function refuse(words: readonly string[], options: Parameters<typeof runKlaus>[1]): Promise<string> {
  const { stdout, stderr, code } = await runKlaus(['instance', '--json', ...words], options);
  expect(stdout).toBe('');
  const { error } = JSON.parse(stderr) as { error: { code: string; hint: string; exitCode: number } };
  expect(error.exitCode).toBe(code);
  expect(error.hint).not.toBe('');
  return error.code;
}

test('a path that the system does not accept, and a folder in the project, are refused', async () => {
  await using opened = await openInstancePlace();
  const { place, server } = opened;
  const long = join(folderOf('klaus-sockets-'), 'x'.repeat(80));
  expect(await refuse([], { place, server, env: { KLAUS_SOCKET_DIR: long } })).toBe('config');
  expect(existsSync(long)).toBe(false);
  const inside = join(place.workspace, 'run');
  expect(await refuse([], { place, server, env: { KLAUS_SOCKET_DIR: inside } })).toBe('config');
  const link = join(folderOf('klaus-link-'), 'link');
  symlinkSync(place.workspace, link);
  expect(await refuse([], { place, server, env: { KLAUS_SOCKET_DIR: join(link, 'new/run') } })).toBe('config');
  expect(existsSync(inside)).toBe(false);
  const env = { KLAUS_SOCKET_DIR: folderOf('klaus-sockets-') };
  const instance = await opened.open({ env });
  expect(instance.socket).toBe(join(env.KLAUS_SOCKET_DIR, instance.project, `${instance.id}.sock`));
});

test('the socket of an instance that was killed is replaced, that of a running one is not', async () => {
  await using opened = await openInstancePlace();
  const { place, server } = opened;
  const first = await opened.open();
  expect(await refuse(['--id', first.id], { place, server })).toBe('store.busy');
  expect(await first.connect().ask('ping')).toMatchObject({ ok: true });
  first.running.kill('SIGKILL');
  await first.running.ended;
  expect(existsSync(first.socket)).toBe(true);
  const second = await opened.open({ words: ['--id', first.id] });
  expect(second.socket).toBe(first.socket);
  expect(await second.connect().ask('ping')).toMatchObject({ ok: true });
});

test('a socket of another program is not replaced either, and a folder for all users is closed', async () => {
  await using opened = await openInstancePlace();
  const { place, server } = opened;
  const { id, project, socket, running } = await opened.open();
  running.kill('SIGTERM');
  await running.ended;
  const folder = join(place.home, 'run', project);
  chmodSync(folder, 0o755);
  const other = createServer().listen(socket);
  onTestFinished(() => void other.close());
  expect(await refuse(['--id', id], { place, server })).toBe('store.busy');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('an id that is none, and an unknown session, are refused', async () => {
  await using opened = await openInstancePlace();
  const { place, server } = opened;
  expect(await refuse(['--id', '../../x'], { place, server })).toBe('usage');
  expect(await refuse(['--session', '01NONE'], { place, server })).toBe('usage');
});

test.each([
  ['that all users can write', (parent: string) => chmodSync(parent, 0o777)],
  ['behind a link in such a folder', (parent: string) => toLinked(parent)],
])('a folder of sockets below a folder %s is refused, and not created', async (_, open) => {
  await using opened = await openInstancePlace();
  const { place, server } = opened;
  const parent = folderOf('klaus-sockets-');
  const given = open(parent) ?? parent;
  expect(await refuse([], { place, server, env: { KLAUS_SOCKET_DIR: join(given, 'run') } })).toBe('config');
  expect(existsSync(join(given, 'run'))).toBe(false);
});

function toLinked(parent: string): string {
  mkdirSync(join(parent, 'open'));
  symlinkSync(folderOf('klaus-target-'), join(parent, 'open', 'link'));
  chmodSync(join(parent, 'open'), 0o777);
  return join(parent, 'open', 'link');
}

test.runIf(process.getuid?.() === 0)(
  'a folder of another user is refused, and nothing is sent to a socket in it',
  async () => {
    await using opened = await openInstancePlace();
    const { place, server } = opened;
    const parent = folderOf('klaus-sockets-');
    const env = { KLAUS_SOCKET_DIR: join(parent, 'run') };
    const instance = await opened.open({ env });
    // The other user owns the folder above, and puts a folder and a socket of his own in the place of those.
    renameSync(env.KLAUS_SOCKET_DIR, join(parent, 'before'));
    mkdirSync(join(env.KLAUS_SOCKET_DIR, instance.project), { recursive: true });
    const received: string[] = [];
    const other = createServer((connection) =>
      connection.on('data', (piece) => connection.end(`${received.push(String(piece))}\n`)),
    );
    other.listen(instance.socket);
    onTestFinished(() => void other.close());
    chownSync(parent, 65_534, 65_534);
    const { code, stderr } = await runKlaus(['checkout', '--json', '--instance', instance.id], { place, server, env });
    expect(code).not.toBe(0);
    expect(stderr).not.toBe('');
    expect(received).toEqual([]);
    expect(await refuse([], { place, server, env })).toBe('config');
  },
);
