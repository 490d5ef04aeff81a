// Covers apps/cli/daemon, apps/server/runs, sdk/config, sdk/engine: the settings of a project in sessions of the daemon, as in those of `klaus run`.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventOf } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { type Ended, runKlaus, toEvents } from '../fixtures/klaus.ts';
import { createRoof, type Roof, TITLE, toError } from './roof.ts';

/** Up to twenty commands on a busy machine. */
const LONG = { timeout: 300_000 };

const SETTINGS = `
approve: ask
checkpoint: auto
onAsk: deny
requirePatchApproval: true
maxOutputTokens: 1234
isolate: true
limits: { turns: 2, toolCalls: 3, tokens: 5000 }
models: { allow: [anthropic/claude-sonnet-5-5] }
secrets: { files: [private.txt] }
`;

const SCRIPT = {
  steps: [TITLE, { when: { turn: 0 }, reply: { calls: [{ name: 'read_file', input: { path: 'private.txt' } }] } }],
  fallback: { text: 'Done.' },
};

const openRoof = (files: Readonly<Record<string, string>> = {}): Promise<Roof> =>
  createRoof({ script: SCRIPT, files: { 'README.md': '# Test\n', 'private.txt': 'private\n', ...files } });

/** What a session of a door has from the settings: its first event, its tool results, and the requests to the model. */
async function play(roof: Roof, command: readonly string[], cwd = roof.place.workspace) {
  const first = roof.model.requests.length;
  const ended = await runKlaus([...command, '--json'], { place: roof.place, server: roof.model, cwd });
  const events = toEvents(ended.stdout);
  const opened = events[0] as EventOf<'session.opened'>;
  const { session: _, at: _at, workspace, workingCopy: _c, ...rest } = opened;
  const facts = JSON.parse(JSON.stringify(rest).replaceAll(workspace, 'WORKSPACE')) as typeof rest;
  const results = events.flatMap((event) => (event.type === 'tool.finished' ? [[event.outcome, event.output]] : []));
  const requests = roof.model.requests.slice(first).map(({ json }) => json as { max_tokens: number; tools?: object[] });
  return { code: ended.code, facts, results, maxTokens: requests.map(({ max_tokens: max }) => max) };
}

const toCode = (ended: Ended) => [ended.code, toError(ended).code];

test('the daemon applies the settings of the project, as klaus run does in that folder', LONG, async () => {
  await using roof = await openRoof({ '.klaus/config.yaml': SETTINGS, 'sub/a.txt': 'a\n' });
  const run = await play(roof, ['run', 'do it']);
  expect(run.facts).toMatchObject({
    ...{ mode: 'ask', isolate: true, patchApproval: true, limits: { turns: 2, toolCalls: 3, tokens: 5000 } },
  });
  expect(run.maxTokens).toContain(1234);
  expect(run.results).toEqual([['denied', expect.any(String)]]);
  expect(await play(roof, ['start', 'klaus', 'do it'])).toEqual(run);
  // From a folder below, and in a working copy, also if the file is not in Git.
  const below = join(roof.place.workspace, 'sub');
  expect((await play(roof, ['start', 'klaus', 'do it'], below)).facts).toEqual(
    (await play(roof, ['run', 'do it'], below)).facts,
  );
  writeFileSync(join(roof.place.workspace, '.git/info/exclude'), '.klaus\n');
  const copy = await play(roof, ['run', '--worktree', 'do it']);
  expect(copy.facts.limits).toEqual(run.facts.limits);
  expect(await play(roof, ['start', '--worktree', 'klaus', 'do it'])).toEqual(copy);
  for (const command of [['run'], ['start', 'klaus']]) {
    const refused = await roof.klaus(...command, 'do it', '--model', 'anthropic/claude-opus-5', '--json');
    expect([command, ...toCode(refused)]).toEqual([command, 3, 'config']);
  }
});

test(
  'a change of the file applies to the next session, and another project has its own',
  { ...LONG, tags: ['long'] },
  async () => {
    await using roof = await openRoof();
    const file = join(roof.place.workspace, '.klaus/config.yaml');
    const start = async (cwd?: string) => (await play(roof, ['start', 'klaus', 'do it'], cwd)).facts.limits.turns;
    const free = await start();
    mkdirSync(join(roof.place.workspace, '.klaus'));
    writeFileSync(file, 'limits: { turns: 2 }\n');
    expect(await start()).toBe(2);
    const other = join(roof.place.home, '../other');
    mkdirSync(other);
    expect(await start(other)).toBe(free);
    writeFileSync(file, 'limits: { turns: 3 }\n');
    expect(await start()).toBe(3);
    rmSync(file);
    expect(await start()).toBe(free);
  },
);

test('a file that widens, or is invalid, starts nothing, and stops the runs of its sessions', LONG, async () => {
  await using roof = await openRoof();
  const [id] = await roof.start();
  expect((await roof.klaus('wait', id!)).code).toBe(0);
  mkdirSync(join(roof.place.workspace, '.klaus'));
  const file = join(roof.place.workspace, '.klaus/config.yaml');
  for (const text of ['server: { metrics: true }\n', 'limits: { turns: many }\n', 'unknown: 1\n']) {
    writeFileSync(file, text);
    const requests = roof.model.requests.length;
    for (const command of [
      ['run', 'do it'],
      ['start', 'klaus', 'do it', '--detach'],
      ['message', id!, 'more'],
    ])
      expect([text, command, ...toCode(await roof.klaus(...command, '--json'))]).toEqual([text, command, 3, 'config']);
    expect(roof.model.requests).toHaveLength(requests);
  }
});

test('the set-up command of a project runs only with trust', LONG, async () => {
  await using roof = await openRoof({ '.klaus/config.yaml': 'worktree: { setup: echo made > made.txt }\n' });
  for (const command of [['run'], ['start', 'klaus']]) {
    const words = [...command, '--worktree', '--approve', 'auto', 'do it', '--json'];
    expect([command, ...toCode(await roof.klaus(...words))]).toEqual([command, 3, 'config']);
    expect((await roof.klaus(...words, '--trust-command')).code).toBe(0);
  }
  const states = (await roof.klaus('copies', '--json')).stdout.trim().split('\n');
  expect(states.map((line) => (JSON.parse(line) as { changes: number }).changes)).toEqual([1, 1]);
});
