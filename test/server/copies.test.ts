// Covers apps/server/handlers, apps/cli/commands/copies, apps/cli/client: working copies at a server.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runKlaus, startServer } from '../fixtures/klaus.ts';
import {
  follow,
  startServeProcess,
  startTestServer,
  untilState,
  type ServeProcess,
  type TestServer,
} from '../fixtures/server.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const FILES = { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' };
const TITLE = { when: { tools: false }, reply: { text: 'A title' } };
/** Each run writes its prompt to a file. */
const write = (user: string, content: string) => [
  { when: { user, turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content } }] } },
  { when: { user, turn: 1 }, reply: { text: `Wrote ${user}.` } },
];
const SCRIPT: Script = {
  steps: [
    TITLE,
    { when: { user: 'talk', turn: 1 }, pace: 20, reply: { text: { repeat: 'and on ', times: 100_000 } } },
    ...write('talk', 'talk\n'),
    ...write('alpha', 'one\nalpha\nthree\n'),
    ...write('beta', 'one\nbeta\nthree\n'),
    // The session itself continues after its two turns, another one begins.
    ...[0, 2].map((turn) => ({
      when: { user: 'have conflicts', turn },
      reply: {
        calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'one\nboth\nthree\n' } }],
      },
    })),
  ],
  fallback: { text: 'Done.' },
};

let it: TestServer;
beforeEach(async () => {
  it = await startTestServer({ script: SCRIPT, files: FILES });
  identify(it.place.workspace, it.place.env);
});
afterEach(() => it[Symbol.asyncDispose]());

function identify(cwd: string, env: Record<string, string>): void {
  for (const [key, value] of [
    ['user.name', 'Ann'],
    ['user.email', 'ann@localhost'],
  ] as const)
    execFileSync('git', ['config', key, value], { cwd, env });
}
const gitIn = (cwd: string, env: Record<string, string>, ...args: string[]) =>
  execFileSync('git', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trimEnd();
const git = (...args: string[]) => gitIn(it.place.workspace, it.place.env, ...args);
const read = (name: string) => readFileSync(join(it.place.workspace, name), 'utf8');
const refused = (status: number, code: string) => ({ problem: { status, code } });

/** Opens a session in a working copy, and waits for the end of its run. */
async function start(client: TestServer['client'], text: string): Promise<string> {
  const { session } = await client.openSession({ body: { text, mode: 'auto', workingCopy: { withChanges: false } } });
  await untilState(client, session, 'done');
  return session;
}

describe('routes', () => {
  test('list and diff; a merge with a conflict is solved by hunk', async () => {
    const [alpha, beta] = [await start(it.client, 'alpha'), await start(it.client, 'beta')];
    const { copies } = await it.client.copies();
    expect(copies).toMatchObject([
      { session: alpha, state: 'changed', changes: 1, target: 'main', repository: it.place.workspace },
      { session: beta, state: 'changed' },
    ]);
    const { files, base } = await it.client.copyDiff({ params: { copy: alpha } });
    expect(base).toBe(git('rev-parse', 'HEAD'));
    expect(files).toMatchObject([{ path: 'a.txt', change: 'modified', added: 1, removed: 1, isSecret: false }]);
    expect(files[0]!.diff).toContain('\n-two\n+alpha\n');
    expect(await it.client.mergeCopy({ params: { copy: alpha }, body: { method: 'squash' } })).toMatchObject({
      done: true,
      how: 'squashed',
      into: 'main',
    });
    const conflicted = await it.client.mergeCopy({ params: { copy: beta }, body: {} });
    if (conflicted.done) throw new Error('There is no conflict.');
    const { target, head, conflicts } = conflicted;
    expect(conflicts).toEqual([
      {
        path: 'a.txt',
        messages: [expect.any(String)],
        hunks: [{ line: 2, target: 'alpha\n', base: 'two\n', copy: 'beta\n', isEditable: true }],
        sides: ['target', 'copy'],
      },
    ]);
    const steps = [{ files: [{ path: 'a.txt', hunks: ['both' as const] }] }];
    const merged = await it.client.mergeCopy({ params: { copy: beta }, body: { solution: { target, head, steps } } });
    expect(merged).toMatchObject({ done: true, how: 'merged' });
    expect([read('a.txt'), git('status', '--porcelain')]).toEqual(['one\nalpha\nbeta\nthree\n', '']);
    expect((await it.client.copies()).copies).toEqual([]);
    await expect(it.client.copyDiff({ params: { copy: beta } })).rejects.toMatchObject(refused(404, 'copy.missing'));
  });

  test('discard, keep, clean and a pull request', { tags: ['long'] }, async () => {
    const ids = [];
    for (const text of ['alpha', 'beta', 'alpha']) ids.push(await start(it.client, text));
    const [kept = '', thrown = '', merged = ''] = ids;
    expect(await it.client.pullRequest({ params: { copy: kept }, body: {} })).toMatchObject({
      session: kept,
      target: 'main',
      body: expect.stringContaining('- `a.txt`') as string,
    });
    const { branch } = await it.client.keepCopy({ params: { copy: kept }, body: {} });
    expect(git('show', `${branch}:a.txt`)).toContain('alpha');
    const { saved } = await it.client.discardCopy({ params: { copy: thrown }, body: {} });
    expect(git('show', `${saved[0]!}:a.txt`)).toContain('beta');
    expect((await it.client.keepCopy({ params: { copy: thrown }, body: {} })).commit).toBe(git('rev-parse', saved[0]!));
    git('merge', '-q', branch);
    expect(await it.client.cleanCopies({ body: { dryRun: true } })).toEqual({ removed: [] });
    await it.client.pullRequest({ params: { copy: merged }, body: {} });
    expect(await it.client.cleanCopies({ body: {} })).toMatchObject({ removed: [{ session: merged }] });
    expect((await it.client.copies()).copies).toEqual([]);
  });

  test(
    'errors are coded: an unknown copy, a bad solution, overlapping changes, a run in progress',
    { tags: ['long'] },
    async () => {
      const params = { copy: await start(it.client, 'alpha') };
      const none = { copy: '7ZZZZZZZZZZZZZZZZZZZZZZZZZ' };
      await expect(it.client.mergeCopy({ params: none, body: {} })).rejects.toMatchObject(refused(404, 'copy.missing'));
      await expect(it.client.keepCopy({ params: none, body: {} })).rejects.toMatchObject(refused(404, 'copy.missing'));
      writeFileSync(join(it.place.workspace, 'a.txt'), 'mine\n');
      await expect(it.client.mergeCopy({ params, body: {} })).rejects.toMatchObject(refused(409, 'copy.blocked'));
      const solution = { target: 'x', head: 'y', steps: [] };
      await expect(it.client.mergeCopy({ params, body: { solution } })).rejects.toMatchObject(
        refused(409, 'copy.blocked'),
      );
      const wrong = it.client.mergeCopy({ params, body: { method: 'fold' as never } });
      await expect(wrong).rejects.toMatchObject(refused(400, 'usage'));
      const { session } = await it.client.openSession({
        body: { text: 'talk', mode: 'auto', workingCopy: { withChanges: false } },
      });
      const followed = follow(it.client, session);
      await followed.until('tool.finished');
      await followed.stop();
      const busy = it.client.discardCopy({ params: { copy: session }, body: {} });
      await expect(busy).rejects.toMatchObject(refused(409, 'store.busy'));
      // The changes can be seen while the run continues.
      const { files } = await it.client.copyDiff({ params: { copy: session } });
      expect(files.map(({ path }) => path)).toEqual(['a.txt']);
      await it.client.cancel({ params: { id: session }, body: {} });
    },
  );

  test('a session in a working copy can be retried and forked', async () => {
    const id = await start(it.client, 'alpha');
    const { session } = await it.client.retry({ params: { id }, body: {} });
    expect(await untilState(it.client, session, 'done')).toMatchObject({ outcome: 'done' });
  });

  test('a repository in which the server may not work: its copies are not listed, and not changed', async () => {
    const other = join(it.place.workspace, '..', 'other');
    mkdirSync(other);
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['-c', 'user.name=T', '-c', 'user.email=t@localhost', 'commit', '-q', '--allow-empty', '-m', 'Begin'],
    ])
      gitIn(other, it.place.env, ...args);
    await using limited = await startTestServer({ env: { KLAUS_SERVER_WORKSPACES: it.place.home } });
    const { id } = await limited.klaus.open({ workspace: other, workingCopy: true });
    expect((await limited.client.copies()).copies).toEqual([]);
    const params = { copy: id };
    const outside = refused(403, 'workspace.outside');
    for (const request of [
      limited.client.copyDiff({ params }),
      limited.client.mergeCopy({ params, body: {} }),
      limited.client.discardCopy({ params, body: {} }),
      limited.client.keepCopy({ params, body: {} }),
      limited.client.pullRequest({ params, body: {} }),
      limited.client.showCopyConflicts({ params, body: {} }),
    ])
      await expect(request).rejects.toMatchObject(outside);
    expect(await limited.klaus.copies.list()).toHaveLength(1);
  });
});

describe('the command line at a server', () => {
  test(
    'copies, merge with a conflict that an agent solves, discard, keep, pr',
    { timeout: 120_000, tags: ['long'] },
    async () => {
      using place = createTestHome(FILES);
      await using model = await startServer(SCRIPT);
      identify(place.workspace, place.env);
      const serving: ServeProcess = await startServeProcess(place, model);
      const env = {
        KLAUS_HOME: join(place.home, '..', 'elsewhere'),
        KLAUS_SERVER_TOKEN: serving.headers['authorization']!.replace('Bearer ', ''),
      };
      const klaus = (...words: string[]) =>
        runKlaus([...words, '--server', serving.url], { place, server: model, env });
      const [alpha, beta, gamma, delta] = [
        await start(serving.client, 'alpha'),
        await start(serving.client, 'beta'),
        await start(serving.client, 'alpha'),
        await start(serving.client, 'beta'),
      ];
      const listed = await klaus('copies', '--json');
      expect(toLines(listed.stdout)).toMatchObject([
        { session: alpha },
        { session: beta },
        { session: gamma },
        { session: delta },
      ]);
      expect((await klaus('merge', alpha, '--squash')).code).toBe(0);
      const conflict = await klaus('merge', beta);
      expect(conflict).toMatchObject({ code: 1 });
      expect(conflict.stdout).toContain('  - alpha\n  + beta\n');
      expect(conflict.stderr).toContain(`klaus merge ${beta} --server ${serving.url} --agent`);
      const solved = await klaus('merge', beta, '--agent', '--approve', 'auto', '--json');
      expect(JSON.parse(solved.stdout)).toMatchObject({ done: true, how: 'merged' });
      expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('one\nboth\nthree\n');
      const pr = await klaus('pr', gamma, '--json');
      expect(JSON.parse(pr.stdout)).toMatchObject({
        session: gamma,
        opened: false,
        commands: [['git'], ['gh']].map(([program]) => expect.arrayContaining([program]) as string[]),
      });
      const discarded = JSON.parse((await klaus('discard', gamma, '--json')).stdout) as { saved: string[] };
      expect(discarded.saved).toHaveLength(1);
      const kept = JSON.parse((await klaus('keep', gamma, '--json')).stdout) as { branch: string };
      expect(gitIn(place.workspace, place.env, 'show', `${kept.branch}:a.txt`)).toContain('alpha');
      const other = await klaus('merge', delta, '--agent', 'klaus', '--approve', 'auto', '--json');
      expect(JSON.parse(other.stdout)).toMatchObject({ done: true });
      expect((await klaus('copies')).stdout).toBe('');
      expect((await klaus('merge', alpha)).code).toBe(2);
      expect(existsSync(env.KLAUS_HOME)).toBe(false);
      serving.process.kill('SIGTERM');
      await serving.process.ended;
    },
  );
});

function toLines(stdout: string): unknown[] {
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
}
