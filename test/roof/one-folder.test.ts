// Covers core/agent/places, core/agent/git, sdk/engine: several sessions in one folder.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@klaus/sdk';
import { expect } from 'vitest';
import { createTestEngine, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';
import { untilFile } from '../fixtures/watch-file.ts';

const CONTENT = 'approved: 1\n';
/** Writes at a protected place, and waits. */
const WAIT = `mkdir -p .github/workflows
echo x > .github/workflows/own.yml
echo x > ready
while [ ! -e go ]; do sleep 0.02; done
`;

/** One session runs a command, and the other one writes a file of the build server. */
const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'wait', turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'sh wait.sh' } }] } },
    {
      when: { user: 'write', turn: 0 },
      reply: { calls: [{ name: 'write_file', input: { path: '.github/workflows/ci.yml', content: CONTENT } }] },
    },
  ],
  fallback: { text: 'Done.' },
};

const createEngine = (): Promise<TestEngine> =>
  createTestEngine({
    script: SCRIPT,
    settings: { 'sandbox.driver': 'bubblewrap' },
    files: { 'README.md': '# Test\n', 'wait.sh': WAIT },
  });

/** Does something while a command of a session runs in the folder. */
async function duringCommand({ klaus, place }: TestEngine, step: () => Promise<void>): Promise<void> {
  const session = await klaus.open();
  await session.prompt('wait');
  const ended = session.advance();
  await untilFile(join(place.workspace, 'ready'));
  await step();
  writeFileSync(join(place.workspace, 'go'), '');
  await ended;
  expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome: 'done' });
}

/** A session writes a file of the build server, which the user approves. */
async function approveWrite({ klaus }: TestEngine, session: Session): Promise<void> {
  await session.prompt('write', { onAsk: 'wait' });
  await session.advance();
  const [asked] = await klaus.approvals();
  await klaus.answer(asked!.id, 'approved', { by: 'test' });
  await session.advance();
}

test('a command of one session does not revert what another one wrote with an approval', async () => {
  await using engine = await createEngine();
  const { klaus, place } = engine;
  await duringCommand(engine, async () => approveWrite(engine, await klaus.open()));
  expect(readFileSync(join(place.workspace, '.github/workflows/ci.yml'), 'utf8')).toBe(CONTENT);
  // What the command itself wrote there was not approved.
  expect(existsSync(join(place.workspace, '.github/workflows/own.yml'))).toBe(false);
});

test(
  'what is merged from a working copy during a command is not reverted, and its ref is not restored',
  { tags: ['long'] },
  async () => {
    await using engine = await createEngine();
    const { klaus, place } = engine;
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: place.workspace, env: place.env }).toString();
    git('config', 'user.name', 'Ann');
    git('config', 'user.email', 'ann@localhost');
    const copied = await klaus.open({ workingCopy: true });
    const [copy] = await klaus.copies.list();
    writeFileSync(join(copy!.path, 'new.txt'), 'new\n');
    await approveWrite(engine, copied);
    expect(git('for-each-ref', 'refs/klaus/copies')).not.toBe('');
    await duringCommand(engine, async () => {
      expect(await klaus.copies.merge(copied.id)).toMatchObject({ done: true });
    });
    expect(git('for-each-ref', 'refs/klaus/copies')).toBe('');
    expect(readFileSync(join(place.workspace, 'new.txt'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(place.workspace, '.github/workflows/ci.yml'), 'utf8')).toBe(CONTENT);
  },
);
