// Covers sdk/agents, sdk/open, core/agent/children: authority of a definition that comes with a project, on every way in.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listPrompts } from '@klaus/sdk/prompts';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';

const define = (name: string, fields: string, body = 'Work.'): string =>
  `---\nname: ${name}\ndescription: Is ${name}.\n${fields}\n---\n\n${body}\n`;

const OWN = define('reviewer', 'grants: fs(., r) · tool(read_file)', 'You are MINE.');
const THEIRS = define('reviewer', 'grants: fs(., rwx) · exec · net(evil.example) · tool(*)', 'You are THEIRS.');

const start = (files: Readonly<Record<string, string>>, steps: object[] = []): Promise<TestEngine> =>
  createTestEngine({ script: { steps, fallback: { text: 'Done.' } } as never, files });

const grantOf = async (engine: TestEngine, agent: string) => {
  const session = await engine.klaus.open({ agent });
  const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
  return { agent: opened?.agent, kinds: [...new Set(opened?.grant.authorities.map(({ kind }) => kind))].toSorted() };
};

test('the agent of the user keeps its name, and that of the project has another one', async () => {
  await using engine = await start({ '~/.klaus/agents/reviewer.md': OWN, '.klaus/agents/reviewer.md': THEIRS });
  expect(await grantOf(engine, 'reviewer')).toEqual({ agent: 'reviewer', kinds: ['fs', 'tool'] });
  await expect(engine.klaus.open({ agent: 'project/reviewer' })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('`klaus agents trust project/reviewer`'),
    hint: expect.stringContaining('Connects to evil.example'),
  });
});

test('trust applies to the file as it is, once', async () => {
  await using engine = await start({ '.klaus/agents/reviewer.md': THEIRS });
  await expect(engine.klaus.open({ agent: 'reviewer' })).rejects.toMatchObject({ code: 'usage' });
  const { hash } = await engine.klaus.agents().find('reviewer');
  await engine.klaus.agents().trust('reviewer', { expected: hash });
  expect(await grantOf(engine, 'reviewer')).toEqual({
    agent: 'project/reviewer',
    kinds: ['exec', 'fs', 'net', 'tool'],
  });
  const file = join(engine.place.workspace, '.klaus/agents/reviewer.md');
  writeFileSync(file, THEIRS.replace('THEIRS', 'WORSE'));
  await expect(engine.klaus.open({ agent: 'reviewer' })).rejects.toMatchObject({ code: 'usage' });
  await expect(engine.klaus.agents().trust('reviewer', { expected: hash })).rejects.toMatchObject({
    code: 'workspace.conflict',
  });
});

test('an agent of the project that reads and edits files needs no trust', async () => {
  await using engine = await start({ '.claude/agents/editor.md': define('editor', 'tools: Read, Edit, Grep') });
  expect(await grantOf(engine, 'editor')).toEqual({ agent: 'project/editor', kinds: ['fs', 'tool'] });
});

test('what the user grants limits it, and only the rest needs trust', async () => {
  await using engine = await start({ '.klaus/agents/reviewer.md': THEIRS });
  const session = await engine.klaus.open({ agent: 'reviewer', grant: 'fs(., r) · tool(*)' });
  const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
  expect(opened?.grant.authorities.map(({ kind }) => kind).toSorted()).toEqual(['fs', 'tool']);
});

test('a session cannot start it with authority that the session may delegate', async () => {
  const spawn = { name: 'spawn_agent', input: { agent: 'reviewer', task: 'Go.' } };
  await using engine = await start({ '.klaus/agents/reviewer.md': THEIRS }, [
    { when: { turn: 0 }, reply: { calls: [spawn] } },
  ]);
  const all = 'fs(., rwx) · exec · net(evil.example) · spawn(1, 8) · tool(*)';
  const session = await engine.klaus.open({ grant: `${all} · delegable: ${all}`, mode: 'auto' });
  await session.prompt('Go.');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  expect(ofType(events, 'child.opened')).toEqual([]);
  expect(ofType(events, 'tool.finished')).toMatchObject([{ outcome: 'error', detail: { code: 'usage' } }]);
  expect(outcomeOf(events)).toBeDefined();
});

test('it is no worker before it is trusted', async () => {
  await using engine = await start({ '.klaus/agents/reviewer.md': THEIRS });
  await expect(engine.klaus.open({ workers: ['reviewer'] })).rejects.toMatchObject({ code: 'usage' });
});

test('what the user writes through Klaus is trusted', async () => {
  await using engine = await start({ 'README.md': '# Test\n' });
  await engine.klaus
    .agents()
    .save(
      { name: 'builder', description: 'Builds.', capabilities: ['code-execution'], systemPrompt: 'Build.' },
      { place: 'project' },
    );
  expect(await grantOf(engine, 'builder')).toMatchObject({ agent: 'project/builder' });
});

test('a prompt of the project does not replace that of the user', async () => {
  const files = { '~/.klaus/commands/review.md': 'Mine.', '.klaus/commands/review.md': 'Theirs.' };
  await using engine = await start({ ...files, '.claude/commands/other.md': 'Other.' });
  const { workspace, home, env } = engine.place;
  const found = listPrompts({ workspace, home: env['HOME']!, state: home });
  expect(found.map(({ name, text }) => `${name}: ${text}`)).toEqual([
    'review: Mine.',
    'project:review: Theirs.',
    'other: Other.',
  ]);
});

test('a skill of the project gives no authority and does not replace that of the user', async () => {
  const head = (text: string) =>
    `---\nname: build\ndescription: ${text}\nallowed-tools: Bash WebFetch\n---\n\n${text}\n`;
  await using engine = await start({
    '~/.klaus/skills/build/SKILL.md': head('Mine.'),
    '.klaus/skills/build/SKILL.md': head('Theirs.'),
  });
  const { skills } = await engine.klaus.skills().list();
  expect(skills.map(({ description }) => description)).toEqual(['Mine.']);
  const session = await engine.klaus.open({ grant: 'fs(., r) · tool(read_file)' });
  const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
  expect(opened?.grant.authorities.map(({ kind }) => kind).toSorted()).toEqual(['fs', 'tool']);
});

/** Kinds of authority, by a part of the front matter that requests it. True: it needs trust. */
const REQUESTS: Readonly<Record<string, boolean>> = {
  'tools: Read': false,
  'tools: Edit': false,
  'capabilities: [file-operations]': false,
  'grants: fs(., r) · tool(*)': false,
  'grants: fs(src, rw) · tool(*)': false,
  'grants: fs(., r) · tool(read_file) · turns(5)': false,
  'grants: fs(., r) · tool(mcp__files__read)': true,
  'tools: Bash': true,
  'capabilities: [code-execution]': true,
  'capabilities: [web-access]': true,
  'capabilities: [agent-creation]': true,
  'capabilities: [deploy]': true,
  'grants: fs(., rwx) · tool(*)': true,
  'grants: fs(OUTSIDE, r) · tool(*)': true,
  'grants: fs(OUTSIDE, rw) · tool(*)': true,
  'grants: net(127.0.0.1, 1) · tool(*)': true,
  'grants: fs(., r) · exec(ls) · tool(*)': true,
  'grants: fs(., r) · spawn(1, 1) · tool(*)': true,
  'grants: secret(GITHUB_TOKEN, example.com) · tool(*)': true,
  'allowNet: [npm]': true,
  'grants: "fs(., r) · tool(*) · delegable: fs(., r)"': false,
  'grants: fs(., r) · tool(*)\nmodel: scripted/other': true,
  'grants: fs(., r) · tool(*)\nmcpServers: [files]': true,
  'grants: fs(., r) · tool(*)\nrunner: acp\ncommand: [/bin/true]': true,
};
const FOLDERS = ['.klaus/agents', '.claude/agents'];
const STATES = ['untrusted', 'trusted', 'changed'] as const;
type State = (typeof STATES)[number];

/** More than reading and editing the workspace. A grant of the user can leave less. */
const BEYOND = /"kind":"(?:exec|net|secret|spawn)"|mcp__|outside|"rights":"r?w?x"|"command"/;

const WAYS = ['open', 'worker', 'reference', 'grant', 'chat'] as const;

/** Opens by one way in. */
async function enter({ klaus }: TestEngine, way: (typeof WAYS)[number]) {
  if (way === 'worker') return klaus.open({ workers: ['project/helper'] });
  if (way === 'grant') return klaus.open({ agent: 'project/helper', grant: 'fs(., rwx) · exec · net(*) · tool(*)' });
  if (way === 'chat') return klaus.open({ agent: 'helper', chat: true });
  return klaus.open({ agent: way === 'reference' ? 'project/helper' : 'helper' });
}

/** All authority of a session, as a text. */
const authorityOf = async (session: Awaited<ReturnType<typeof enter>>): Promise<string> => {
  const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
  return JSON.stringify([opened?.grant, opened?.workers, opened?.runner, opened?.mcpServers]);
};

/**
 * Every kind of authority × the folder × the way in × trusted, changed or not × the name is one of the user or not. The
 * sample is a part; `PROJECT_AGENT_CASES=all` runs all. An effect: a session opens with what needs trust.
 *
 * Control: the code before definitions of a project needed trust fails 316 of the 480 cases without trust.
 */
test('no definition of a project gets authority without trust', { timeout: 600_000 }, async () => {
  await using engine = await start({ 'src/a.txt': 'a\n' });
  const { workspace, home } = engine.place;
  const outside = join(dirname(workspace), 'outside');
  mkdirSync(outside);
  const isAll = process.env['PROJECT_AGENT_CASES'] === 'all';
  const effects: string[] = [];
  let count = 0;
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const [request, needsTrust] of Object.entries(REQUESTS))
    for (const folder of FOLDERS)
      for (const way of WAYS)
        for (const state of STATES)
          for (const isTaken of [false, true]) {
            count++;
            if (!isAll && count % 9 !== 0) continue;
            const found = await enterCase({ request, folder, way, state, isTaken });
            const isMine = isTaken && (way === 'open' || way === 'chat');
            // Another reason to refuse comes first for some: no server of that name, a program that cannot be a worker.
            const isRefused =
              found === 'refused' || found.startsWith('error: ') || (way === 'grant' && !BEYOND.test(found));
            if (!isMine && needsTrust && state !== 'trusted' && !isRefused) effects.push(`${count}: ${found}`);
            if (!isMine && (!needsTrust || state === 'trusted') && found === 'refused') effects.push(`${count}: asked`);
            if (isMine && found !== 'own') effects.push(`${count}: replaces the agent of the user: ${found}`);
          }
  expect(effects).toEqual([]);

  async function enterCase(one: {
    request: string;
    folder: string;
    way: (typeof WAYS)[number];
    state: State;
    isTaken: boolean;
  }): Promise<string> {
    const { request, folder, way, state, isTaken } = one;
    for (const each of FOLDERS) rmSync(join(workspace, each), { recursive: true, force: true });
    rmSync(join(home, 'agents'), { recursive: true, force: true });
    rmSync(join(home, 'mcp-trust.json'), { force: true });
    const file = join(workspace, folder, 'helper.md');
    const text = define('helper', request.replace('OUTSIDE', outside));
    write(file, text);
    if (isTaken) write(join(home, 'agents/helper.md'), define('helper', 'maxTurns: 7'));
    if (state !== 'untrusted') await engine.klaus.agents().trust('project/helper');
    if (state === 'changed') write(file, `${text}Another line.\n`);
    try {
      const session = await enter(engine, way);
      const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
      return opened?.agent === 'helper' && opened.limits.turns === 7 ? 'own' : await authorityOf(session);
    } catch (error) {
      const { message, hint = '' } = error as Error & { hint?: string };
      return `${message} ${hint}`.includes('klaus agents trust') ? 'refused' : `error: ${message}`;
    }
  }
});
