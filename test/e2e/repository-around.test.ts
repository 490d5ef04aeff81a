// Covers adapters/sandboxes, adapters/workspace: a workspace inside a repository.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OpenOptions, Session } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

const FILES = {
  'package.json': '{ "name": "root", "private": true, "workspaces": ["packages/*"] }\n',
  'AGENTS.md': 'Root rules.\n',
  'packages/CLAUDE.md': 'Rules of packages.\n',
  'packages/app/AGENTS.md': 'Rules of the app.\n',
  'packages/app/package.json': '{ "name": "app" }\n',
  'packages/app/index.js': "console.log(require('greet')());\n",
  '.gitignore': 'node_modules\n.env\n',
};

async function open(commands: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<TestEngine> {
  return createTestEngine({
    script: {
      steps: commands.map((command) => ({ reply: { calls: [{ name: 'run_command', input: { command } }] } })),
      fallback: { text: 'Done.' },
    },
    settings: { 'sandbox.driver': 'bubblewrap' },
    files: { ...FILES, ...files },
  });
}

function put({ place }: TestEngine, path: string, text: string): void {
  const at = join(place.workspace, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, text);
}

async function run(engine: TestEngine, options: OpenOptions = {}): Promise<Session> {
  const session = await engine.klaus.open({ workspace: join(engine.place.workspace, 'packages/app'), ...options });
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  return session;
}

const outputs = async (session: Session): Promise<string[]> =>
  ofType(await Array.fromAsync(session.events()), 'tool.finished').map(({ output }) => output);

describe('a folder of a repository', () => {
  test('finds hoisted packages, the root’s files and git', async () => {
    await using engine = await open([
      'node index.js',
      'cat ../../package.json && git log --oneline && git status --short',
    ]);
    put(engine, 'node_modules/greet/index.js', "module.exports = () => 'hello from above';\n");
    put(engine, 'packages/app/new.js', '\n');
    const [first, second] = await outputs(await run(engine));
    expect(first).toContain('hello from above');
    expect(second).toContain('"name": "root"');
    expect(second).toContain('Begin');
    expect(second).toContain('?? new.js');
  });

  test('finds the programs of the root', { tags: ['long'] }, async () => {
    await using engine = await createTestEngine({
      script: { steps: [{ reply: { calls: [{ name: 'tsc_check', input: {} }] } }], fallback: { text: 'Done.' } },
      settings: { 'sandbox.driver': 'bubblewrap' },
      files: { ...FILES, 'packages/app/tsconfig.json': '{}\n' },
    });
    put(engine, 'node_modules/.bin/tsc', '#!/bin/sh\necho "index.ts(1,1): error TS1: from the root"; exit 2\n');
    chmodSync(join(engine.place.workspace, 'node_modules/.bin/tsc'), 0o755);
    expect((await outputs(await run(engine)))[0]).toContain('from the root');
  });

  test('changes nothing around it', async () => {
    await using engine = await open([
      'for f in ../../package.json ../../planted ../../.git/config ../../.git/hooks/post-checkout; do echo x >> $f; done; echo end',
      'git commit --allow-empty -m x; git config core.fsmonitor ./x; rm -rf ../../node_modules; echo end',
    ]);
    put(engine, 'node_modules/greet/index.js', '');
    const before = readFileSync(join(engine.place.workspace, '.git/config'), 'utf8');
    await run(engine);
    const at = (path: string): string => join(engine.place.workspace, path);
    expect(readFileSync(at('package.json'), 'utf8')).toBe(FILES['package.json']);
    expect(readFileSync(at('.git/config'), 'utf8')).toBe(before);
    expect([at('planted'), at('.git/hooks/post-checkout')].filter(existsSync)).toEqual([]);
    expect(existsSync(at('node_modules/greet/index.js'))).toBe(true);
  });

  test('hides its secrets, and redacts their values', async () => {
    await using engine = await open([
      'grep -rhs TOKEN ../..; echo end',
      'git show HEAD~1:old/.env',
      'echo Zk81-QQ7t-vLmP-8aXy',
    ]);
    put(engine, 'old/.env', 'OLD_TOKEN=Rr93-Wm2p-Xc5v-Bn8q\n');
    const git = (...words: string[]): void => {
      const who = ['-c', 'user.name=User', '-c', 'user.email=user@localhost'];
      execFileSync('git', [...who, ...words], { cwd: engine.place.workspace, env: engine.place.env });
    };
    git('add', '-Af', 'old/.env');
    git('commit', '-qm', 'Leak');
    git('rm', '-q', 'old/.env');
    git('commit', '-qm', 'Remove');
    put(engine, '.env', 'TOKEN=Zk81-QQ7t-vLmP-8aXy\n');
    put(engine, 'packages/other/.env.local', 'TOKEN=Yt55-Kk1d-Pp9s-Jh3f\n');
    const session = await run(engine);
    const said = JSON.stringify([await Array.fromAsync(session.events()), engine.server.requests]);
    expect((await outputs(session))[0]?.trim()).toMatch(/^end/);
    for (const value of ['Zk81-QQ7t', 'Yt55-Kk1d', 'Rr93-Wm2p']) expect(said).not.toContain(value);
  });

  test('has the instructions of every parent folder and of the user', { tags: ['long'] }, async () => {
    await using engine = await open([]);
    mkdirSync(engine.place.home, { recursive: true });
    writeFileSync(join(engine.place.home, 'AGENTS.md'), 'Rules of the user.\n');
    const session = await run(engine);
    const texts = ofType(await Array.fromAsync(session.events()), 'message.added')
      .filter(({ message }) => message.origin === 'context')
      .map(({ message }) => JSON.stringify(message.parts));
    expect(texts.map((text) => /Rules of [a-z ]+|Root rules/.exec(text)?.[0])).toEqual([
      'Rules of the user',
      'Root rules',
      'Rules of packages',
      'Rules of the app',
    ]);
    await session.prompt('again');
    await session.advance();
    expect(
      ofType(await Array.fromAsync(session.events()), 'message.added').filter(
        ({ message }) => message.origin === 'context',
      ),
    ).toHaveLength(4);
  });

  test('is isolated if the user or a grant requires it', async () => {
    await using engine = await open(['ls ../.. ; ls ../../package.json']);
    const alone = await run(engine, { root: join(engine.place.workspace, 'packages/app') });
    expect((await outputs(alone))[0]).not.toContain('AGENTS.md');
    expect(ofType(await Array.fromAsync(alone.events()), 'session.opened')[0]).not.toHaveProperty('readable');
  });

  test('is isolated in a repository that another user could have created', async () => {
    await using engine = await open(['ls ../.. ; ls ../../package.json']);
    chmodSync(engine.place.workspace, 0o777);
    const session = await run(engine);
    expect((await outputs(session))[0]).not.toContain('AGENTS.md');
    await using second = await open(['ls ../.. ; ls ../../package.json']);
    if (process.getuid?.() !== 0) return;
    chownSync(join(second.place.workspace, '.git'), 12_345, 12_345);
    expect((await outputs(await run(second)))[0]).not.toContain('AGENTS.md');
    chownSync(join(second.place.workspace, '.git'), 0, 0);
  });

  test('a grant for the folder alone shows nothing around it', async () => {
    await using engine = await open(['ls ../.. ; ls ../../package.json']);
    const session = await run(engine, { grant: 'file-operations · code-execution' });
    expect((await outputs(session))[0]).not.toContain('AGENTS.md');
  });

  test('accepts a root that contains it, and no other', { tags: ['long'] }, async () => {
    await using engine = await open(['ls .. ; ls ../../AGENTS.md']);
    const at = (path: string): string => join(engine.place.workspace, path);
    const session = await run(engine, { root: at('packages') });
    expect((await outputs(session))[0]).toContain('CLAUDE.md');
    expect((await outputs(session))[0]).toContain('No such file');
    await expect(run(engine, { root: at('packages/app/lib') })).rejects.toMatchObject({ code: 'workspace.missing' });
    mkdirSync(at('other'));
    await expect(run(engine, { root: at('other') })).rejects.toMatchObject({ code: 'usage' });
    await expect(run(engine, { root: '/' })).rejects.toMatchObject({ code: 'workspace.refused' });
  });
});

test('additional folders of the user can be read, without their secrets', async () => {
  await using engine = await open([]);
  const extra = join(dirname(engine.place.workspace), 'extra');
  mkdirSync(extra);
  writeFileSync(join(extra, 'notes.txt'), 'a note\n');
  writeFileSync(join(extra, '.env'), 'TOKEN=Gh72-Lq4w-Ss6z-Vd1m\n');
  await using second = await createTestEngine({
    script: {
      steps: [`grep -rhs . ${extra}`, `echo x > ${extra}/planted`].map((command) => ({
        reply: { calls: [{ name: 'run_command', input: { command } }] },
      })),
      fallback: { text: 'Done.' },
    },
    settings: { 'sandbox.driver': 'bubblewrap', 'sandbox.folders': [extra] },
  });
  const session = await second.klaus.open();
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  expect((await outputs(session))[0]).toContain('a note');
  expect(JSON.stringify([await Array.fromAsync(session.events()), second.server.requests])).not.toContain('Gh72-Lq4w');
  expect(existsSync(join(extra, 'planted'))).toBe(false);
});
