// Covers apps/server/projects, apps/server/handlers, sdk/clone, adapters/store: projects, clones, archived sessions and the filters of their list.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isProblemError } from '@klaus/server/client';
import { parseCloneSource } from '@klaus/sdk/clone';
import { expect, test } from 'vitest';
import { Clones } from '../../apps/server/projects/clones.ts';
import { runKlaus } from '../fixtures/klaus.ts';
import { follow, startTestServer, type TestServer, untilState } from '../fixtures/server.ts';
import { untilFile } from '../fixtures/watch-file.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const GIT = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/** Creates a repository with one commit. */
function createRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'README.md'), '# A project\n');
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, env: GIT, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-qm', 'first');
}

/** The code of the refusal; undefined if the server accepted the request. */
async function codeOf(request: Promise<unknown>): Promise<string | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    if (isProblemError(error)) return error.problem.code;
    throw error;
  }
}

async function cloned({ client }: TestServer, id: string) {
  await expect
    .poll(async () => (await client.clone({ params: { id } })).state, { timeout: 30_000 })
    .not.toBe('running');
  return client.clone({ params: { id } });
}

const toReal = ({ place }: TestServer): string => realpathSync(place.workspace);

test('a repository is cloned from a path, becomes a project, and nothing else stays', async () => {
  await using it = await startTestServer();
  const workspace = toReal(it);
  const source = join(workspace, 'source');
  createRepository(source);
  const trap = join(it.place.home, 'trap');
  // Hooks and programs of the source do not run.
  writeFileSync(join(source, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${trap}\n`);
  chmodSync(join(source, '.git/hooks/post-checkout'), 0o755);
  const { id, path } = await it.client.startClone({ body: { url: source, parent: workspace, name: 'copy' } });
  expect(path).toBe(join(workspace, 'copy'));
  expect(await cloned(it, id)).toMatchObject({ state: 'done', percent: 100, problem: null });
  expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('# A project\n');
  expect(readdirSync(join(path, '.git')).includes('hooks')).toBe(false);
  expect(existsSync(trap)).toBe(false);
  expect(readdirSync(join(it.place.home, 'server/clones'))).toEqual([]);
  const { projects } = await it.client.projects();
  expect(projects.find((each) => each.path === path)).toMatchObject({ exists: true, sessions: 0, usd: 0 });
  // Its files can be completed before a session works in it.
  expect((await it.client.findFiles({ query: { workspace: path, q: 'read' } })).paths).toContain('README.md');
  expect(await codeOf(it.client.startClone({ body: { url: source, parent: workspace, name: 'copy' } }))).toBe('usage');
});

test('a clone needs an allowed target, and an allowed source if that is a path', async () => {
  using other = createTestHome();
  await using it = await startTestServer();
  const workspace = toReal(it);
  const outside = realpathSync(other.workspace);
  createRepository(join(outside, 'secret'));
  createRepository(join(workspace, 'own'));
  symlinkSync(outside, join(workspace, 'link'));
  const start = (url: string, parent: string, name = 'new') =>
    codeOf(it.client.startClone({ body: { url, parent, name } }));
  expect(await start(join(outside, 'secret'), workspace)).toBe('workspace.outside');
  expect(await start(`file://${join(outside, 'secret')}`, workspace)).toBe('workspace.outside');
  expect(await start(join(workspace, 'own'), outside)).toBe('workspace.outside');
  expect(await start(join(workspace, 'own'), join(workspace, 'link'))).toBe('workspace.outside');
  expect(await start(join(workspace, 'own'), '/etc')).toBe('workspace.refused');
  expect(await start(join(workspace, 'own'), join(workspace, 'missing'))).toBe('workspace.missing');
  for (const name of ['..', '.', 'a/b', '../x'])
    expect(await start(join(workspace, 'own'), workspace, name)).toBe('usage');
  expect(await start(join(workspace, 'own'), workspace, '.git')).toBe('workspace.refused');
  expect(readdirSync(outside).toSorted()).toEqual(readdirSync(other.workspace).toSorted());
});

test('an address is https, ssh or a path, and contains neither options nor credentials', () => {
  const protocols = (text: string) => {
    const { protocol, name } = parseCloneSource(text);
    return `${protocol} ${name}`;
  };
  expect(protocols('https://example.com/a/shop.git')).toBe('https shop');
  expect(protocols('ssh://git@example.com:2222/a/shop.git')).toBe('ssh shop');
  expect(protocols('git@example.com:a/shop.git')).toBe('ssh shop');
  expect(protocols('/srv/git/shop.git')).toBe('file shop');
  for (const text of [
    '',
    '--upload-pack=touch x',
    '-oProxyCommand=x',
    'ssh://-oProxyCommand=x/a',
    'ssh://-o@example.com/a',
    'ext::sh -c touch% x',
    'ext::sh',
    'fd::17',
    'git@example.com:-x',
    'http://example.com/a',
    'git://example.com/a',
    'file://host/a',
    'relative/path',
    'https://user@example.com/a',
    'https://user:secret@example.com/a',
    'ssh://git:secret@example.com/a',
    'https://example.com/a\n--upload-pack=x',
  ])
    expect(() => parseCloneSource(text), text).toThrow(expect.objectContaining({ code: 'usage' }));
});

test('the credentials of a refused address are in no answer and no log', async () => {
  const written: string[] = [];
  await using it = await startTestServer({
    onWarning: (text, fields) => void written.push(text, JSON.stringify(fields)),
  });
  const request = it.client.startClone({
    body: { url: 'https://user:hunter2@example.com/a', parent: it.place.workspace },
  });
  const problem = await request.then(
    () => undefined,
    (error: unknown) => (isProblemError(error) ? error.problem : undefined),
  );
  expect(problem?.code).toBe('usage');
  expect(JSON.stringify([problem, written])).not.toContain('hunter2');
});

test('a failure names the cause, and a cancel ends Git; both leave nothing behind', async () => {
  await using it = await startTestServer();
  const workspace = toReal(it);
  mkdirSync(join(workspace, 'empty'));
  const before = readdirSync(workspace).toSorted();
  const failed = await it.client.startClone({
    body: { url: join(workspace, 'empty'), parent: workspace, name: 'failed' },
  });
  const { state, problem } = await cloned(it, failed.id);
  expect({ state, code: problem?.code }).toEqual({ state: 'failed', code: 'tool.failed' });
  expect(problem?.detail).toBeTruthy();
  createRepository(join(workspace, 'own'));
  const started = await it.client.startClone({
    body: { url: join(workspace, 'own'), parent: workspace, name: 'gone' },
  });
  const { state: end } = await it.client.cancelClone({ params: { id: started.id } });
  // A clone of a small repository may have been complete before.
  expect(['cancelled', 'done']).toContain(end);
  expect(existsSync(join(workspace, 'gone'))).toBe(end === 'done');
  expect(existsSync(join(workspace, 'failed'))).toBe(false);
  expect(readdirSync(join(it.place.home, 'server/clones'))).toEqual([]);
  expect(
    readdirSync(workspace)
      .filter((name) => !['own', 'gone'].includes(name))
      .toSorted(),
  ).toEqual(before);
  expect(await codeOf(it.client.clone({ params: { id: 'none' } }))).toBe('usage');
});

test('a clone that is cancelled while Git waits is killed with all of its programs', async () => {
  using place = createTestHome();
  const folder = join(place.home, 'clones');
  // Git starts this instead of ssh, and waits for it.
  const bin = join(place.home, 'bin');
  mkdirSync(bin, { recursive: true });
  const started = join(place.home, 'pid');
  writeFileSync(join(bin, 'ssh'), `#!/bin/sh\necho $$ > ${started}\nexec sleep 600\n`, { mode: 0o755 });
  const path = process.env['PATH'];
  process.env['PATH'] = `${bin}:${path}`;
  try {
    const clones = new Clones({ folder, onDone: () => {}, onError: () => {} });
    const { id } = clones.start(parseCloneSource('git@example.com:a/shop.git'), join(place.workspace, 'shop'));
    const pid = Number(await untilFile(started));
    expect(await clones.cancel(id)).toMatchObject({ state: 'cancelled', problem: null });
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
    expect(existsSync(join(place.workspace, 'shop'))).toBe(false);
  } finally {
    process.env['PATH'] = path;
  }
});

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('a start removes what a killed server left, also a copy on another disk', () => {
  using place = createTestHome();
  const folder = join(place.home, 'clones');
  const copy = join(place.workspace, '.shop-1');
  mkdirSync(join(folder, '1', 'shop'), { recursive: true });
  mkdirSync(copy);
  writeFileSync(join(folder, '1', 'copy'), copy);
  expect(new Clones({ folder, onDone: () => {}, onError: () => {} }).list()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  expect(existsSync(copy)).toBe(false);
});

test('a folder is added, created, kept across a restart of the list, and removed from it', async () => {
  await using it = await startTestServer();
  const workspace = toReal(it);
  const fresh = join(workspace, 'fresh');
  const paths = async () => (await it.client.projects()).projects.map(({ path }) => path);
  expect(await codeOf(it.client.addProject({ body: { path: fresh } }))).toBe('workspace.missing');
  expect(await it.client.addProject({ body: { path: fresh, create: true } })).toEqual({ path: fresh, created: true });
  expect(await it.client.addProject({ body: { path: fresh } })).toEqual({ path: fresh, created: false });
  expect(await paths()).toContain(fresh);
  expect(JSON.parse(readFileSync(join(it.place.home, 'server/projects.json'), 'utf8'))).toEqual([fresh]);
  writeFileSync(join(workspace, 'file'), '');
  for (const [path, code] of [
    ['relative', 'usage'],
    ['/etc/klaus', 'workspace.refused'],
    [join(workspace, '..', 'other'), 'workspace.outside'],
    [join(workspace, 'file'), 'workspace.missing'],
    [join(workspace, 'a', 'b'), 'workspace.missing'],
  ] as const)
    expect({ path, code: await codeOf(it.client.addProject({ body: { path, create: true } })) }).toEqual({
      path,
      code,
    });
  const removable = async () =>
    (await it.client.projects()).projects.filter(({ isRemovable }) => isRemovable).map(({ path }) => path);
  expect(await removable()).toEqual([fresh]);
  await it.client.forgetProject({ query: { path: fresh } });
  expect(await paths()).not.toContain(fresh);
  expect(existsSync(fresh)).toBe(true);
  expect(await codeOf(it.client.forgetProject({ query: { path: fresh } }))).toBe('usage');
  // A session keeps it in the list.
  await it.client.addProject({ body: { path: fresh } });
  await it.client.openSession({ body: { workspace: fresh } });
  expect(await removable()).toEqual([]);
});

test('sessions are counted for their project, and found by project, model, state and time', async () => {
  await using it = await startTestServer();
  const workspace = toReal(it);
  mkdirSync(join(workspace, 'shop'));
  const { session: first } = await it.client.openSession({ body: { workspace: join(workspace, 'shop'), text: 'one' } });
  const followed = follow(it.client, first);
  await followed.until('run.finished');
  await followed.stop();
  const { session: second } = await it.client.openSession({ body: { workspace } });
  // The process releases the session shortly after the end of its run.
  await untilState(it.client, first, 'done');
  const find = async (query: { project?: string; model?: string; state?: 'done'; since?: string; until?: string }) =>
    (await it.client.sessions({ query })).sessions.map(({ id }) => id);
  expect(await find({ project: join(workspace, 'shop') })).toEqual([first]);
  expect(await find({ project: workspace })).toEqual([second]);
  expect(await find({ project: workspace, state: 'done' })).toEqual([]);
  const { model, updatedAt } = await it.client.session({ params: { id: first } });
  expect((await find({ model: model! })).toSorted()).toEqual([first, second].toSorted());
  expect(await find({ model: 'none/none' })).toEqual([]);
  expect(await find({ since: updatedAt, state: 'done' })).toEqual([first]);
  expect(await find({ until: updatedAt })).not.toContain(first);
  expect(await codeOf(it.client.sessions({ query: { since: 'yesterday' } }))).toBe('usage');
  const { projects } = await it.client.projects();
  expect(projects.find(({ path }) => path === join(workspace, 'shop'))).toMatchObject({ sessions: 1, needsYou: 0 });
});

test('an archived session is in no list of any door but that of the archive, until its next run', async () => {
  await using it = await startTestServer();
  const { session } = await it.client.openSession({ body: { text: 'one' } });
  const followed = follow(it.client, session);
  await followed.until('run.finished');
  const ids = async (archived?: string) =>
    (await it.client.sessions({ query: archived === undefined ? {} : { archived } })).sessions.map(({ id }) => id);
  const listed = async (...words: string[]) =>
    (await runKlaus(['sessions', '--json', ...words], { place: it.place, server: it.model })).stdout.includes(session);
  const changed = await it.client.changeSession({ params: { id: session }, body: { archived: true } });
  expect(changed.archived).toBe(true);
  await expect.poll(() => ids('true')).toEqual([session]);
  expect(await ids('false')).toEqual([]);
  expect(await ids()).toEqual([session]);
  expect(await listed()).toBe(false);
  expect(await listed('--archived')).toBe(true);
  expect((await it.client.projects()).projects.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(0);
  // Its log contains the change, so that a rebuild of the tables keeps it.
  const { events } = await it.client.log({ params: { id: session } });
  expect(events.at(-1)).toMatchObject({ type: 'session.changed', archived: true });
  await it.klaus.store.rebuild();
  expect(await ids('true')).toEqual([session]);
  await it.client.sendPrompt({ params: { id: session }, body: { text: 'two' } });
  await followed.until('run.finished', ({ seq }) => seq > events.at(-1)!.seq);
  await followed.stop();
  expect(await ids('true')).toEqual([]);
  expect(await ids('false')).toEqual([session]);
});
