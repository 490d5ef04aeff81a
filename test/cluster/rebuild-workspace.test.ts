// Covers sdk/cluster, adapters/objects, adapters/workspace/snapshots, core/agent/workspace: managed workspaces that move between workers.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectWorkspaces, findState, openS3, toWorkspaceName, type ObjectStore } from '@klaus/adapters/objects';
import type { ClusterKlaus } from '@klaus/sdk/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilLogged } from '../fixtures/engine.ts';
import { runKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { hasBubblewrap } from '../fixtures/sandboxed.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { untilFile } from '../fixtures/watch-file.ts';
import { endWorker, startCluster, WITHOUT_CLUSTER, type Cluster } from './cluster.ts';
import { git, listTree } from './tree-listing.ts';

const reason = WITHOUT_CLUSTER ?? (hasBubblewrap ? undefined : 'bubblewrap does not work here');
const COMMIT = 'git -c user.name=a -c user.email=a@b commit -q';
const run = (command: string) => ({ name: 'run_command', input: { command } });

const STEPS = [
  { when: { tools: false }, reply: { text: 'A title' } },
  {
    when: { turn: 0, user: 'crash' },
    reply: {
      calls: [
        run(
          'mkdir -p out deep/er empty; echo ignored > out/file; echo one > deep/er/one.txt; chmod 750 deep/er/one.txt; ' +
            `git add deep; ${COMMIT} -m agent; echo staged > staged.txt; git add staged.txt`,
        ),
      ],
    },
  },
  {
    when: { turn: 1, user: 'crash' },
    reply: {
      calls: [
        { name: 'write_file', input: { path: 'lost.txt', content: 'lost' } },
        run('echo partial > partial.txt; rm deep/er/one.txt; sleep 300'),
      ],
    },
  },
  { when: { turn: 2, user: 'are lost' }, reply: { calls: [run('cat deep/er/one.txt > seen.txt; ls > list.txt')] } },
  {
    when: { turn: 0, user: 'drain' },
    reply: { calls: [run('echo a > a.txt; until [ -e go ]; do sleep 0.05; done; rm go'), run('cat a.txt > b.txt')] },
  },
  { when: { turn: 0, user: 'write' }, reply: { calls: [run('echo written >> written.txt')] } },
  ...[1, 2, 3].map((turn) => ({ when: { turn }, reply: { text: 'Done.' } })),
];

describe.skipIf(reason !== undefined)(`managed workspaces${reason ? `: ${reason}` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let cluster: Cluster;
  let klaus: ClusterKlaus;
  let place: TestHome;
  let folder: string;
  let objects: ObjectStore;

  beforeAll(async () => {
    const server = stack.use(await startServer({ steps: STEPS }));
    place = stack.use(createTestHome({ 'README.md': '# Test\n', '.gitignore': 'out\n' }));
    folder = join(place.workspace, '../managed');
    const settings = {
      'cluster.workspaces': 'managed',
      'cluster.workspacesFolder': folder,
      'sandbox.driver': 'bubblewrap',
      approve: 'auto',
    };
    cluster = stack.use(await startCluster(place, { env: toEnv({ place, server }), settings }));
    klaus = await cluster.openNode();
    objects = await openS3(cluster.bucket);
    stack.defer(() => objects.close());
    // What no commit has: ignored files, modes, links, a hook and a remote with a password.
    mkdirSync(join(place.workspace, 'nothing'), { mode: 0o700 });
    writeFileSync(join(place.workspace, 'out'), 'an ignored file');
    chmodSync(join(place.workspace, 'README.md'), 0o640);
    symlinkSync('/etc/hostname', join(place.workspace, 'outside'));
    writeFileSync(join(place.workspace, '.git/hooks/pre-commit'), '#!/bin/sh\ntouch /tmp/hook\n', { mode: 0o755 });
    git(place.workspace, 'remote', 'add', 'origin', 'https://user:word@example.com/a.git');
    git(place.workspace, 'config', 'core.fsmonitor', '/tmp/run');
    rmSync(join(place.workspace, 'out'));
  }, 240_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  const countOf = async (session: string, type: 'tool.started' | 'tool.finished' | 'run.finished'): Promise<number> =>
    (await klaus.store.eventsOf(session, [type])).length;
  const create = () => klaus.createWorkspace({ from: { folder: place.workspace } });
  const begin = async (workspace: string, prompt: string): Promise<string> => {
    const session = await klaus.open({ workspace });
    await session.prompt(prompt);
    await cluster.scheduler.wake(session.id, 'command');
    return session.id;
  };
  /** The files of the newest state in the log, in an empty folder. */
  const rebuild = async (session: string, workspace: string): Promise<Record<string, string>> => {
    rmSync(workspace, { recursive: true });
    const node = await cluster.openNode();
    await expect
      .poll(async () => (await node.prepare(session))?.[Symbol.asyncDispose](), { timeout: 30_000 })
      .toBe(undefined);
    expect(existsSync(workspace)).toBe(true);
    return listTree(workspace);
  };

  test('a session continues on another worker without the folder', { timeout: 240_000 }, async () => {
    const workspace = await create();
    expect(existsSync(join(workspace, '.git/hooks'))).toBe(false);
    expect(readFileSync(join(workspace, '.git/config'), 'utf8')).not.toMatch(/word|fsmonitor/);
    const first = await cluster.startWorker();
    const session = await begin(workspace, 'crash');
    await untilLogged(klaus, session, 'tool.started', 3);
    await untilFile(join(workspace, 'partial.txt'), () => true);
    await endWorker(first, 'SIGKILL');
    rmSync(workspace, { recursive: true });

    const second = await cluster.startWorker();
    await untilLogged(klaus, session, 'run.finished');
    const [finished] = await klaus.store.eventsOf(session, ['run.finished']);
    expect(finished).toMatchObject({ outcome: 'done' });
    expect(await klaus.store.verify(session)).toMatchObject({ intact: true });
    expect(readFileSync(join(workspace, 'seen.txt'), 'utf8')).toBe('one\n');
    for (const lost of ['lost.txt', 'partial.txt']) expect(existsSync(join(workspace, lost))).toBe(false);
    expect(git(workspace, 'log', '--format=%s')).toBe('agent\nBegin\n');
    expect(git(workspace, 'diff', '--cached', '--name-only')).toBe('staged.txt\n');
    expect(await (await klaus.session(session)).replay()).toMatchObject({ outcome: 'equal', isCutOff: false });
    await endWorker(second, 'SIGTERM');
    const left = listTree(workspace, { objects: false });
    expect(left).toMatchObject({ nothing: 'directory 700', outside: 'link /etc/hostname', empty: expect.any(String) });
    await rebuild(session, workspace);
    expect(listTree(workspace, { objects: false })).toEqual(left);
    expect(git(workspace, 'fsck', '--full', '--no-dangling')).toBe('');
  });

  test(
    'a worker that drains stores the state in the middle of a turn',
    { tags: ['long'], timeout: 240_000 },
    async () => {
      const workspace = await create();
      const first = await cluster.startWorker();
      const session = await begin(workspace, 'drain');
      await untilLogged(klaus, session, 'tool.started');
      await untilFile(join(workspace, 'a.txt'), () => true);
      const lines: string[] = [];
      first.stdout!.on('data', (bytes: Buffer) => lines.push(bytes.toString()));
      const ended = endWorker(first, 'SIGTERM');
      await expect.poll(() => lines.join('')).toContain('stopping');
      writeFileSync(join(workspace, 'go'), '');
      await ended;
      expect(await countOf(session, 'tool.started')).toBe(1);
      rmSync(workspace, { recursive: true });
      const second = await cluster.startWorker();
      await untilLogged(klaus, session, 'run.finished');
      expect(readFileSync(join(workspace, 'b.txt'), 'utf8')).toBe('a\n');
      expect((await klaus.store.eventsOf(session, ['notice'])).filter(({ level }) => level === 'warn')).toEqual([]);
      expect(await (await klaus.session(session)).replay()).toMatchObject({ outcome: 'equal', isCutOff: false });
      await endWorker(second, 'SIGTERM');
    },
  );

  test(
    'a folder is used by one process at a time, and by its sessions in turn',
    { tags: ['long'], timeout: 240_000 },
    async () => {
      const workspace = await create();
      const sessions = [await klaus.open({ workspace }), await klaus.open({ workspace })];
      const other = await cluster.openNode();
      {
        await using used = await klaus.prepare(sessions[0]!.id);
        expect(used).toBeDefined();
        expect(await klaus.prepare(sessions[1]!.id)).toBeUndefined();
        expect(await other.prepare(sessions[1]!.id)).toBeUndefined();
      }
      const worker = await cluster.startWorker();
      for (const session of sessions) {
        await session.prompt('write');
        await cluster.scheduler.wake(session.id, 'command');
      }
      for (const { id } of sessions) await untilLogged(klaus, id, 'run.finished');
      await endWorker(worker, 'SIGTERM');
      // Either session may have run first.
      const started = async ({ id }: { id: string }) => (await klaus.store.eventsOf(id, ['run.started']))[0]!.at;
      const [first, last] =
        (await started(sessions[0]!)) < (await started(sessions[1]!)) ? sessions : sessions.toReversed();
      // A fork copies earlier states, which are not newer than those of its original.
      const fork = await klaus.fork(first!.id);
      await rebuild(fork.session.id, workspace);
      expect(readFileSync(join(workspace, 'written.txt'), 'utf8')).toBe('written\nwritten\n');
      rmSync(workspace, { recursive: true });
      const undone = await last!.restore({ kind: 'undo' }, { by: 'test' });
      expect(undone).toMatchObject({ done: true });
      expect(readFileSync(join(workspace, 'written.txt'), 'utf8')).toBe('written\n');
      expect(await klaus.store.audit()).toMatchObject({ intact: true });
      const tree = (await klaus.store.eventsOf(last!.id, ['workspace.snapshotted'])).at(-1)!.tree;
      const state = await findState(objects, { workspace: toWorkspaceName(workspace), tree });
      expect(state).toMatchObject({ session: expect.any(String), fence: expect.any(Number) });
    },
  );

  test(
    'a folder that no worker created is not changed, and a damaged pack is not used',
    { timeout: 120_000 },
    async () => {
      const workspace = await create();
      const session = await klaus.open({ workspace });
      rmSync(workspace, { recursive: true });
      const fresh = await cluster.openNode();
      const packs: string[] = [];
      for await (const { key } of objects.list(`workspaces/${toWorkspaceName(workspace)}/packs/`)) packs.push(key);
      const good = await objects.get(packs[0]!);
      await objects.renew(packs[0]!, Buffer.from('damaged'));
      await expect(fresh.prepare(session.id)).rejects.toMatchObject({ code: 'store.corrupt' });
      await objects.renew(packs[0]!, good!);
      // It is rebuilt when the pack is there again.
      await (await fresh.prepare(session.id))![Symbol.asyncDispose]();
      expect(readFileSync(join(workspace, 'README.md'), 'utf8')).toBe('# Test\n');

      await expect(klaus.createWorkspace({ from: { folder: '/' } })).rejects.toMatchObject({
        code: 'workspace.refused',
      });
      const foreign = join(folder, 'foreign');
      mkdirSync(foreign);
      writeFileSync(join(foreign, 'mine.txt'), 'mine');
      await expect(klaus.open({ workspace: foreign })).rejects.toMatchObject({ code: 'workspace.refused' });
      await expect(klaus.createWorkspace({ from: { folder: place.workspace }, name: 'foreign' })).rejects.toMatchObject(
        {
          code: 'workspace.refused',
        },
      );
      for (const name of ['../x', '.klaus', '/tmp/x', 'a/b'])
        await expect(klaus.createWorkspace({ from: { folder: place.workspace }, name })).rejects.toMatchObject({
          code: 'usage',
        });
      expect(readFileSync(join(foreign, 'mine.txt'), 'utf8')).toBe('mine');
    },
  );

  test(
    'a workspace begins with a repository, or with the state of another one',
    { tags: ['long'], timeout: 120_000 },
    async () => {
      const cloned = await klaus.createWorkspace({ from: { url: place.workspace, ref: 'main' }, name: 'cloned' });
      expect(cloned).toBe(join(folder, 'cloned'));
      const head = git(place.workspace, 'rev-parse', 'HEAD');
      expect(git(cloned, 'rev-parse', 'HEAD')).toBe(head);
      const detached = await klaus.createWorkspace({ from: { url: place.workspace, ref: head.trim() } });
      expect(git(detached, 'rev-parse', 'HEAD')).toBe(head);
      const copy = await klaus.createWorkspace({ from: { workspace: cloned } });
      expect(listTree(copy)).toEqual(listTree(cloned));
      const again = klaus.createWorkspace({ from: { url: place.workspace }, name: 'cloned' });
      await expect(again).rejects.toMatchObject({ code: 'usage' });
      for (const url of ['ext::sh -c id', '--upload-pack=id', 'relative'])
        await expect(klaus.createWorkspace({ from: { url } })).rejects.toMatchObject({ code: 'usage' });
    },
  );

  test('`klaus admin` creates a workspace, and lists what no log needs', { timeout: 60_000 }, async () => {
    const managed = { KLAUS_CLUSTER_WORKSPACES: 'managed', KLAUS_CLUSTER_WORKSPACES_FOLDER: folder };
    const env = { ...cluster.variables, ...managed, KLAUS_HOME: klaus.home };
    const admin = async (...words: string[]) => {
      const { code, stdout } = await runKlaus(['admin', ...words, '--json'], { place, env });
      return { code, ...(code === 0 ? (JSON.parse(stdout) as object) : {}) };
    };
    const workspace = join(folder, 'typed');
    expect(await admin('workspace', place.workspace, '--name', 'typed')).toEqual({ code: 0, workspace });
    expect(readFileSync(join(workspace, 'README.md'), 'utf8')).toBe('# Test\n');
    expect(await admin('workspace', place.workspace, '--name', 'typed')).toEqual({ code: 2 });
    const copy = join(folder, 'copied');
    expect(await admin('workspace', workspace, '--name', 'copied')).toEqual({ code: 0, workspace: copy });
    expect(listTree(copy)).toEqual(listTree(workspace));
    const report = await admin('gc');
    // All objects are of this day.
    expect(report).toMatchObject({ code: 0, dryRun: true, deleted: 0, bytes: 0 });
  });

  test(
    'garbage is deleted, and what logs need or what is young remains',
    { tags: ['long'], timeout: 120_000 },
    async () => {
      const workspace = await create();
      const session = await klaus.open({ workspace });
      const all = async () => {
        const keys: string[] = [];
        for await (const { key } of objects.list(`workspaces/${toWorkspaceName(workspace)}/`)) keys.push(key);
        return keys;
      };
      const before = await all();
      expect(await klaus.collectArchive({ dryRun: false })).toMatchObject({ deleted: 0 });
      const later = () => Date.now() + 2 * 86_400_000;
      const nothing = new Set<string>();
      const own = toWorkspaceName(workspace);
      const states = new Set(before.filter((key) => key.includes('/states/')).map((key) => key.split('/').at(-1)!));
      const keepOwn = async (name: string) => (name === own ? states : nothing);
      expect((await collectWorkspaces(objects, { findUsed: keepOwn, now: later })).deleted).toBeGreaterThan(0);
      expect(await all()).toEqual(before);
      rmSync(workspace, { recursive: true });
      const node = await cluster.openNode();
      await (await node.prepare(session.id))![Symbol.asyncDispose]();
      await collectWorkspaces(objects, { findUsed: async () => nothing, now: later });
      expect(await all()).toEqual(before.filter((key) => key.endsWith('/source')));
    },
  );
});
