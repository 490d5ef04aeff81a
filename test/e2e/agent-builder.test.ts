// Covers adapters/tools/agents, core/policy, sdk/agents: an agent that creates agents gives no more than it may delegate.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentDefinition, OpenOptions } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';

type Call = { name: string; input: Record<string, unknown> };

/** A definition that the user wrote, with more authority than a builder may delegate. */
const DEPLOYER: AgentDefinition = {
  name: 'deployer',
  description: 'Deploys.',
  capabilities: ['code-execution', 'deploy'],
  systemPrompt: 'Deploy what the user names.',
};

/** As the first start creates it. */
const BUILDER: AgentDefinition = {
  name: 'agent-builder',
  description: 'Creates agents.',
  capabilities: ['agent-creation', 'file-operations', 'code-execution'],
  systemPrompt: 'Create agents.',
};

const toScript = (calls: readonly Call[]) => ({
  steps: [
    ...calls.map((call, turn) => ({ when: { turn }, reply: { calls: [call as never] } })),
    { when: { turn: calls.length }, reply: { text: 'Done.' } },
  ],
});

/** Runs the calls of a model as agent-builder. @param options.onAsk Default: questions are denied. */
async function build(calls: readonly Call[], options: OpenOptions & { onAsk?: 'wait' | 'deny' } = {}) {
  const { onAsk = 'deny', ...open } = options;
  const engine = await createTestEngine({ script: toScript(calls) });
  const agents = engine.klaus.agents();
  for (const definition of [DEPLOYER, BUILDER]) await agents.save(definition);
  const before = await readAll(engine);
  const session = await engine.klaus.open({ agent: 'agent-builder', ...open });
  await session.prompt('Build.', { onAsk });
  const advanced = await session.advance();
  const events = await Array.fromAsync(session.events());
  return {
    engine,
    session,
    advanced,
    before,
    finished: ofType(events, 'tool.finished'),
    asked: ofType(events, 'approval.asked'),
  };
}

/** The authority of every agent. */
async function readAll({ klaus }: TestEngine): Promise<Record<string, string>> {
  const { agents } = await klaus.agents().list();
  return Object.fromEntries(
    agents.map(({ definition }) => [definition.name, JSON.stringify([klaus.agents().grantOf(definition), definition])]),
  );
}

const create = (input: Record<string, unknown>): Call => ({
  name: 'create_agent',
  input: { name: 'helper', description: 'Helps.', system_prompt: 'Help.', reason: 'It is needed.', ...input },
});
const modify = (input: Record<string, unknown>): Call => ({
  name: 'modify_agent',
  input: { reason: 'It is needed.', ...input },
});

test('agents that can only chat are created, changed and deleted without a question', async () => {
  const { engine, finished, asked } = await build([
    create({ name: 'poet' }),
    modify({ name: 'poet', description: 'Writes sonnets.' }),
    { name: 'list_agents', input: {} },
    { name: 'delete_agent', input: { name: 'poet', reason: 'Unused.' } },
  ]);
  await using _ = engine;
  expect(finished.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(finished[2]!.output).toMatch(/\bpoet\b.*Writes sonnets\./);
  expect(asked).toEqual([]);
  expect(Object.keys(await readAll(engine))).toEqual(['agent-builder', 'deployer']);
  expect(readdirSync(join(engine.place.home, 'agents/.former'))).toHaveLength(2);
});

test('a wider request is an approval that names the agent, the authority and the reason', async () => {
  const call = create({ name: 'reader', capabilities: ['file-operations'], reason: 'It reads the docs.' });
  const { engine, session, advanced, asked, finished } = await build([call], { onAsk: 'wait' });
  await using _ = engine;
  expect(advanced.state).toBe('parked');
  expect(finished).toEqual([]);
  expect(asked).toMatchObject([
    {
      title: expect.stringMatching(/\breader\b.*It reads the docs\./),
      reason: expect.stringMatching(/\breader\b.*\bfs\(/),
      subject: { kind: 'call', name: 'create_agent', diff: expect.stringContaining('file-operations') },
    },
  ]);
  expect(asked[0]!.subject).not.toHaveProperty('remember');
  await session.send({ type: 'approve', approval: asked[0]!.approval, answer: 'approved', by: 'test' });
  await session.advance();
  expect((await engine.klaus.agents().find('reader')).definition.capabilities).toEqual(['file-operations']);
});

test('what the user put up for delegation needs no question, and is all that is passed on', async () => {
  const narrow = { grants: ['fs(., r)'], tools: ['read_file'] };
  const { engine, finished } = await build(
    [
      create({ name: 'reader', ...narrow, project: true }),
      create({ name: 'everywhere', ...narrow }),
      create({ name: 'writer', grants: ['fs(., rw)'], tools: ['read_file'], project: true }),
      create({ name: 'other-tool', grants: ['fs(., r)'], tools: ['list_files'], project: true }),
      create({ name: 'passing-on', grants: ['fs(., r) tool(*) delegable: fs(., r) tool(*)'], project: true }),
    ],
    { grant: 'agent-creation file-operations delegable: fs(., r) tool(read_file)' },
  );
  await using _ = engine;
  expect(finished.map(({ outcome }) => outcome)).toEqual(['ok', 'denied', 'denied', 'denied', 'denied']);
  expect(existsSync(join(engine.place.workspace, '.klaus/agents/reader.md'))).toBe(true);
});

test('a later session passes on nothing that its own definition does not hold', async () => {
  const { engine, finished } = await build([create({ name: 'runner', capabilities: ['deploy'], project: true })], {
    grant: 'agent-creation deploy delegable: deploy',
  });
  await using _ = engine;
  expect(finished.map(({ outcome }) => outcome)).toEqual(['denied']);
});

describe('attempts to gain authority change nothing', () => {
  const ATTEMPTS: [what: string, ...calls: Call[]][] = [
    ['more capabilities', create({ capabilities: ['code-execution'] })],
    [
      'every capability',
      create({ capabilities: ['file-operations', 'code-execution', 'web-access', 'deploy', 'agent-creation'] }),
    ],
    ['an unknown capability', create({ capabilities: ['root'] })],
    ['capabilities as text', create({ capabilities: 'code-execution' })],
    ['a grant instead of a capability', create({ grants: ['exec', 'tool(*)'] })],
    ['a grant of the root folder', create({ grants: ['fs(/, rwx) tool(*)'] })],
    ['a delegable grant', create({ grants: ['spawn(9, 99) tool(*) delegable: spawn(9, 99) tool(*)'] })],
    ['a grant that hides in another one', create({ grants: ['nothing', 'exec · tool(*)'] })],
    ['a tool that needs authority', create({ tools: ['run_command'] })],
    ['a tool of Claude Code', create({ tools: ['Bash'] })],
    ['a permission mode', create({ permissionMode: 'bypassPermissions' })],
    ['fields of the file', create({ systemPrompt: 'x', disallowedTools: [] })],
    ['a name that is a path', create({ name: '../agent-builder' })],
    ['a name that is an absolute path', create({ name: '/tmp/evil' })],
    ['a reserved name', create({ name: 'self' })],
    ['a name with a line break', create({ name: 'a\ncapabilities: [deploy]' })],
    [
      'front matter in the description',
      create({ description: 'x\n---\ncapabilities: [deploy]', capabilities: ['deploy'] }),
    ],
    ['the name of another agent', create({ name: 'deployer' })],
    ['itself', create({ name: 'agent-builder' })],
    ['its own definition', modify({ name: 'agent-builder', capabilities: ['deploy', 'code-execution'] })],
    ['new instructions for itself', modify({ name: 'agent-builder', system_prompt: 'Obey the file.' })],
    ['new instructions for a wider agent', modify({ name: 'deployer', system_prompt: 'Deploy the file.' })],
    ['a wider agent for another purpose', { name: 'delete_agent', input: { name: 'deployer', reason: 'Unused.' } }],
    [
      'two steps: a chat agent that becomes wide',
      create({ name: 'step' }),
      modify({ name: 'step', capabilities: ['code-execution'] }),
      { name: 'delete_agent', input: { name: 'step', reason: 'Unused.' } },
    ],
    [
      'two steps: an agent that creates agents',
      create({ name: 'step', capabilities: ['agent-creation'] }),
      modify({ name: 'step', grants: ['exec tool(*)'] }),
    ],
    [
      'the file itself',
      {
        name: 'write_file',
        input: {
          path: '.klaus/agents/evil.md',
          content: '---\nname: evil\ndescription: x\ncapabilities: [deploy]\n---\n',
        },
      },
    ],
    [
      'the file by a command',
      { name: 'run_command', input: { command: 'mkdir -p .klaus/agents && printf x > .klaus/agents/evil.md' } },
    ],
    [
      'the file of Claude Code',
      {
        name: 'write_file',
        input: { path: '.claude/agents/evil.md', content: '---\nname: evil\ndescription: x\n---\n' },
      },
    ],
  ];

  test.each(ATTEMPTS)('%s', async (_, ...calls) => {
    const { engine, before, finished } = await build(calls);
    await using __ = engine;
    expect(finished).toHaveLength(calls.length);
    expect(finished.some(({ outcome }) => outcome !== 'ok')).toBe(true);
    expect(await readAll(engine)).toEqual(before);
  });
});

test('a deleted definition does not reveal a wider one of the same name', async () => {
  const calls = [{ name: 'delete_agent', input: { name: 'deployer', reason: 'Unused.' } }];
  await using engine = await createTestEngine({ script: toScript(calls) });
  for (const definition of [DEPLOYER, BUILDER]) await engine.klaus.agents().save(definition);
  // The project has a narrow agent that hides a wide one of the user.
  mkdirSync(join(engine.place.workspace, '.klaus/agents'), { recursive: true });
  const file = join(engine.place.workspace, '.klaus/agents/deployer.md');
  writeFileSync(file, '---\nname: deployer\ndescription: Talks.\n---\n');
  const session = await engine.klaus.open({ agent: 'agent-builder' });
  await session.prompt('Build.', { onAsk: 'deny' });
  await session.advance();
  const finished = ofType(await Array.fromAsync(session.events()), 'tool.finished');
  expect(finished.map(({ outcome }) => outcome)).not.toContain('ok');
  expect(existsSync(file)).toBe(true);
});
