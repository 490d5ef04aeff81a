// Covers apps/cli/board, apps/cli/chat, apps/cli/commands/copies, apps/cli/commands/instances: three reviewers in working copies, as a new user starts them, follows them, and ends their copies.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Script, WorkingCopy } from '@klaus/sdk';
import { findProcesses } from '../faults/processes.ts';
import { type Emulator, KEYS, openEmulator } from '../fixtures/emulator.ts';
import { MAIN, toEnv, toEvents } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createRoof, isOf, type Roof, TITLE, untilGone } from './roof.ts';

/** About forty commands on a busy machine. */
const LONG = { timeout: 300_000 };

const SCRIPT: Script = {
  steps: [
    TITLE,
    { when: { user: 'Coordinate' }, reply: { text: 'I coordinate the reviewers.' } },
    {
      when: { user: 'Review', turn: 0 },
      reply: { calls: [{ name: 'edit_file', input: { path: 'a.txt', edits: [{ old: 'two', new: 'TWO' }] } }] },
    },
    { when: { after: 'edit_file' }, reply: { text: 'Reviewed.' } },
  ],
};

const REVIEWER =
  '---\nname: reviewer\ndescription: Reviews changes.\ncapabilities: [file-operations]\n---\n\nYou review.\n';

/** A repository of a user, and the terminals that are open there. */
async function openStory() {
  const roof = await createRoof({
    script: SCRIPT,
    env: { KLAUS_SERVER_IDLE_EXIT: '1' },
    files: { 'a.txt': 'one\ntwo\nthree\n', '~/.klaus/agents/reviewer.md': REVIEWER },
  });
  const { place, model } = roof;
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: place.workspace, env: place.env }).toString().trimEnd();
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@localhost');
  const env = toEnv({ place, server: model, env: { KLAUS_SERVER_IDLE_EXIT: '1' } });
  const file = join(place.workspace, 'a.txt');
  return {
    roof,
    git,
    open: (...words: string[]): Promise<Emulator> =>
      openEmulator([process.execPath, MAIN, ...words], { env, cwd: place.workspace, columns: 120, rows: 30 }),
    read: () => readFileSync(file, 'utf8'),
    write: (text: string) => writeFileSync(file, text),
    /** Processes that any command of this story has started. */
    processes: () => findProcesses(MAIN).filter((pid) => isOf(pid, place.home)),
    [Symbol.asyncDispose]: () => roof[Symbol.asyncDispose](),
  };
}

type Story = Awaited<ReturnType<typeof openStory>>;

async function listCopies(roof: Roof): Promise<WorkingCopy[]> {
  const { stdout } = await roof.klaus('copies', '--json');
  return toLines(stdout).map((line) => JSON.parse(line) as WorkingCopy);
}

function toLines(text: string): string[] {
  return text.split('\n').filter(Boolean);
}

/** Starts three reviewers from the current session of a terminal. Returns their ids. */
async function startReviewers({ roof }: Story): Promise<string[]> {
  const [instance] = toLines((await roof.klaus('instances', '--json')).stdout);
  const { id, session } = JSON.parse(instance!) as { id: string; session: string };
  const options = ['--count', '3', '--worktree', '--detach', '--approve', 'ask', '--instance', id.slice(0, 24)];
  const started = await roof.klaus('start', 'reviewer', 'Review the list.', ...options);
  expect(started).toMatchObject({ code: 0, stderr: '' });
  const ids = toLines(started.stdout);
  expect(ids).toHaveLength(3);
  for (const each of ids) {
    const [opened] = toEvents((await roof.klaus('logs', each, '--json')).stdout);
    expect(opened).toMatchObject({ type: 'session.opened', agent: 'reviewer', instance: id, startedBy: session });
  }
  return ids;
}

/** Approves the oldest edit at its question, the second with a command, and rejects the third. */
async function answer({ roof, open }: Story, ids: readonly string[]): Promise<void> {
  const attention = toLines((await roof.klaus('attention', '--json')).stdout);
  const items = attention.map((line) => JSON.parse(line) as { id: string; session: string; kind: string });
  expect(items.map(({ session, kind }) => [session, kind])).toEqual(ids.map((id) => [id, 'call']));
  await using next = await open('next');
  await next.shows('+TWO');
  await next.shows(ids[0]!);
  // Alt-Y answers without the focus.
  next.type('\u001by');
  expect(await next.ended).toBe(0);
  expect((await roof.klaus('approve', items[1]!.id)).code).toBe(0);
  await roof.klaus('reject', items[2]!.id, '--note', 'Leave it as it is');
  const waited = await roof.klaus('wait', ...ids, '--json');
  const ends = toLines(waited.stdout).map((line) => JSON.parse(line) as { session: string; outcome: string });
  expect(new Map(ends.map(({ session, outcome }) => [session, outcome]))).toEqual(
    new Map([
      [ids[0], 'done'],
      [ids[1], 'done'],
      [ids[2], 'denied'],
    ]),
  );
  expect(waited.code).toBe(6);
}

/** Merges one copy with a conflict, and discards the others. */
async function endCopies({ roof, git, read, write }: Story, ids: readonly string[]): Promise<void> {
  const copies = await listCopies(roof);
  expect(copies.map(({ session, state }) => [session, state])).toEqual([
    [ids[0], 'changed'],
    [ids[1], 'changed'],
    [ids[2], 'clean'],
  ]);
  expect(read()).toBe('one\ntwo\nthree\n');
  write('one\ndeux\nthree\n');
  git('commit', '-q', '-a', '-m', 'Translate');
  const refused = await roof.klaus('merge', ids[0]!);
  expect(refused.code).toBe(1);
  expect(toLines(refused.stdout)).toEqual(['a.txt', expect.stringContaining('line 2'), '  - deux', '  + TWO']);
  for (const way of ['--agent', '--markers']) expect(refused.stderr).toContain(`klaus merge ${ids[0]} ${way}`);
  expect([git('status', '--porcelain'), read()]).toEqual(['', 'one\ndeux\nthree\n']);
  const marked = await roof.klaus('merge', ids[0]!, '--markers');
  expect(marked.code).toBe(1);
  expect(marked.stderr).toContain(copies[0]!.path);
  const unsolved = await roof.klaus('merge', ids[0]!);
  expect({ code: unsolved.code, hasFile: unsolved.stderr.includes('a.txt') }).toEqual({ code: 1, hasFile: true });
  writeFileSync(join(copies[0]!.path, 'a.txt'), 'one\nDEUX\nthree\n');
  expect(await roof.klaus('merge', ids[0]!)).toMatchObject({ code: 0, stderr: '' });
  const saved = await roof.klaus('discard', ids[1]!);
  const ref = /refs\/klaus\/\S+/.exec(saved.stderr)?.[0];
  expect(git('show', `${ref}:a.txt`)).toBe('one\nTWO\nthree');
  expect(await roof.klaus('discard', ids[2]!)).toMatchObject({ code: 0, stderr: '' });
  expect(git('for-each-ref', '--format=%(refname)').split('\n')).toEqual(['refs/heads/main', ref]);
}

/** What a user finds after all of it. */
async function checkEnd({ roof, git, read }: Story, ids: readonly string[]): Promise<void> {
  expect([read(), git('status', '--porcelain', '--branch')]).toEqual(['one\nDEUX\nthree\n', '## main']);
  expect(git('log', '--first-parent', '--format=%an %s')).toMatch(/^Ann .+\nAnn Translate\nTest Begin$/);
  expect(git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(await listCopies(roof)).toEqual([]);
  expect(toLines((await roof.klaus('attention', '--json')).stdout)).toEqual([]);
  const ends = ['merged', 'discarded', 'discarded'];
  for (const [at, id] of ids.entries()) {
    const log = toEvents((await roof.klaus('logs', id, '--json')).stdout);
    expect(log.filter(({ type }) => type === 'run.finished')).toHaveLength(1);
    expect(log.filter(({ type }) => type === 'approval.answered')).toHaveLength(1);
    expect(log).toContainEqual(expect.objectContaining({ type: 'workingCopy.ended', how: ends[at] }));
  }
}

test.runIf(hasScript)('start three reviewers, approve, check out, wait, merge one, discard two', LONG, async () => {
  await using story = await openStory();
  const { roof, open, processes } = story;
  await using terminal = await open();
  await terminal.shows('mode ');
  terminal.type(`Coordinate three reviewers.${KEYS.enter}`);
  await terminal.shows('I coordinate the reviewers.');
  const ids = await startReviewers(story);
  await using board = await open('watch');
  const shown = await board.shows(', 3 need you');
  for (const id of ids) expect(shown).toMatch(new RegExp(`!${id.slice(0, 14)} needs-you +reviewer .*edit a\\.txt`));
  expect((await roof.klaus('checkout', ids[0]!)).code).toBe(0);
  await terminal.shows('edit a.txt');
  expect((await roof.klaus('checkout')).code).toBe(0);
  await terminal.hides('Waiting for your answer');
  await terminal.shows('3 sessions need you');
  await answer(story, ids);
  await board.shows(', 0 running,');
  await endCopies(story, ids);
  await board.shows(', 0 need you');
  board.type('q');
  expect(await board.ended).toBe(0);
  await terminal.hides('need you');
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ended).toBe(0);
  await checkEnd(story, ids);
  await untilGone(processes);
});
