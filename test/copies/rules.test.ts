// Covers adapters/workspace/copies: the rules of Git that commits of working copies keep or name.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';

let engine: TestEngine;

beforeEach(async () => {
  vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null');
  vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1');
  engine = await createTestEngine({ script: { steps: [], fallback: { text: 'Done.' } }, files: { 'a.txt': 'a\n' } });
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@localhost');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await engine[Symbol.asyncDispose]();
});

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: engine.place.workspace, env: engine.place.env, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trimEnd();
/** A session in a working copy with a changed file, unless `content` is undefined. */
const open = async (content?: string) => {
  const session = await engine.klaus.open({ workingCopy: true });
  const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
  if (content !== undefined) writeFileSync(join(opened!.workingCopy!.path, 'a.txt'), content);
  return session;
};

test('rules that commits do not follow are named by a merge and a keep', async () => {
  git('config', 'commit.gpgSign', 'true');
  git('config', 'i18n.commitEncoding', 'ISO-8859-1');
  git('config', 'commit.template', 'template.txt');
  git('config', 'core.hooksPath', '.hooks');
  const names = [/commit\.gpgSign/, /i18n\.commitEncoding/, /commit\.template/, /core\.hooksPath/];
  for (const end of ['merge', 'keep'] as const) {
    const session = await open(`${end}\n`);
    const ended = await engine.klaus.copies[end](session.id, { message: 'Größe' });
    const { notes, commit } = ended as { notes: readonly string[]; commit: string };
    expect(notes).toEqual(names.map((name) => expect.stringMatching(name) as string));
    expect(git('cat-file', 'commit', commit)).toMatch(/^(?!.*^encoding )[^]*Größe$/);
  }
});

test('there is no note without such a rule, and none without a commit', async () => {
  const session = await open('new\n');
  expect(await engine.klaus.copies.keep(session.id)).toMatchObject({ notes: [] });
  git('config', 'commit.gpgSign', 'true');
  const empty = await open();
  expect(await engine.klaus.copies.merge(empty.id)).toMatchObject({ done: true, notes: [] });
});

test('an identity is not invented with user.useConfigOnly, except for what a discard saves', async () => {
  git('config', '--unset', 'user.name');
  git('config', '--unset', 'user.email');
  git('config', 'user.useConfigOnly', 'true');
  const session = await open('new\n');
  await expect(engine.klaus.copies.keep(session.id)).rejects.toMatchObject({ code: 'copy.blocked' });
  expect((await engine.klaus.copies.discard(session.id)).saved).toHaveLength(1);
});
