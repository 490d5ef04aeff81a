// Covers apps/cli/commands/instances, apps/cli/commands/copies, apps/cli/board, apps/cli/run: three reviewers in working copies, from their start to the merge of one, as a new user works with them.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Emulator, KEYS, openEmulator } from '../fixtures/emulator.ts';
import { MAIN, toEnv, toEvents } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createRoof, type Roof, TITLE, untilGone } from './roof.ts';

test.runIf(hasScript)('x', { timeout: 120_000 }, async () => {
  await using roof = await createRoof({
    script: {
      steps: [
        TITLE,
        { when: { user: 'Coordinate' }, reply: { text: 'I coordinate.' } },
        { when: { user: 'Review', turn: 0 }, reply: { calls: [{ name: 'edit_file', input: { path: 'a.txt', edits: [{ old: 'two', new: 'TWO' }] } }] } },
        { when: { after: 'edit_file' }, reply: { text: 'Reviewed.' } },
      ],
      fallback: { text: 'Other.' },
    },
    files: {
      'a.txt': 'one\ntwo\nthree\n',
      '.klaus/agents/reviewer.md': '---\nname: reviewer\ndescription: Reviews.\ncapabilities: [file-operations]\n---\n\nYou review.\n',
    },
  });
  const { workspace } = roof.place;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace, env: roof.place.env }).toString().trimEnd();
  git('config', 'user.name', 'Ann'); git('config', 'user.email', 'ann@localhost');
  const show = async (...words: string[]) => {
    const ended = await roof.klaus(...words);
    console.log(`$ klaus ${words.join(' ')}\n${ended.stdout}[err] ${ended.stderr}[exit ${ended.code}]`);
    return ended;
  };
  const open = (...words: string[]): Promise<Emulator> => openEmulator([process.execPath, MAIN, ...words], { env: toEnv({ place: roof.place, server: roof.model }), cwd: workspace, columns: 120, rows: 30 });
  await using terminal = await open();
  await terminal.shows('mode ');
  terminal.type(`Coordinate the reviewers.${KEYS.enter}`);
  await terminal.shows('I coordinate.');
  const instances = await show('instances');
  const id = /^[0-9A-Z]{26}/m.exec(instances.stdout)![0];
  const started = await show('start', 'reviewer', 'Review the list', '--count', '3', '--worktree', '--detach', '--approve', 'ask', '--instance', id.slice(0, 20));
  const ids = started.stdout.trim().split('\n');
  await show('instances');
  await using board = await open('watch');
  await board.shows('3 need you');
  console.log(board.screen());
  await show('sessions');
  await show('sessions', '-v');
  await show('status', ids[0]!);
  await show('attention');
  await show('next');
  await show('checkout', ids[0]!);
  await terminal.shows('Review the list');
  console.log(terminal.screen());
  await show('checkout');
  await terminal.shows('I coordinate.');
  console.log(terminal.screen());
  {
    await using next = await open('next');
    await next.shows('TWO');
    console.log(next.screen());
    next.type('y');
    console.log(await next.ended, next.screen());
  }
  const left = await show('approvals');
  const approvals = [...left.stdout.matchAll(/^[0-9A-Z]{26}/gm)].map(String);
  console.log(approvals);
  await show('approve', approvals[0]!);
  await show('reject', approvals[1]!, '--note', 'No.');
  console.log(board.screen());
  await show('wait', ...ids);
  await show('copies');
  await show('copies', '--json');
  writeFileSync(join(workspace, 'a.txt'), 'one\ndeux\nthree\n');
  git('commit', '-qam', 'French');
  await show('diff', ids[0]!);
  await show('merge', ids[0]!);
  await show('discard', ids[1]!);
  await show('discard', ids[2]!);
  await show('copies');
  console.log(git('status', '--short', '--branch'), git('for-each-ref'));
  await show('merge', ids[0]!, '--agent', '--approve', 'edits');
  await show('logs', ids[0]!, '-n', '12');
  await show('logs', ids[0]!, '--raw');
  console.log(readFileSync(join(workspace, 'a.txt'), 'utf8'));
  board.type('q');
  expect(await board.ended).toBe(0);
  terminal.type(KEYS.ctrlD);
  console.log(await terminal.ended);
  await show('instances');
  await show('sessions');
  await show('attention');
});
