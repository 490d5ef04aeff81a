// Covers sdk/agents, sdk/open, core/agent/context: a session that opens as a defined agent.
import { expect, test } from 'vitest';
import type { OpenOptions } from '@klaus/sdk';
import { createTestEngine, ofType } from '../fixtures/engine.ts';

const toFile = (head: string, body = ''): string => `---\n${head}\n---\n${body === '' ? '' : `\n${body}\n`}`;

const FILES = {
  'README.md': '# Test\n',
  'AGENTS.md': 'The instructions of the project.\n',
  '~/.klaus/agents/chatter.md': toFile('name: chatter\ndescription: Talks.', 'You only talk.'),
  '~/.klaus/agents/reader.md': toFile('name: reader\ndescription: Reads.\ngrants: fs(., r) tool(*)\nmaxTurns: 3'),
  '~/.klaus/agents/planner.md': toFile(
    'name: planner\ndescription: Plans.\ncapabilities: [file-operations]\npermissionMode: plan',
  ),
  '~/.klaus/agents/wide.md': toFile(
    'name: wide\ndescription: Everything.\ncapabilities: file-operations, code-execution\npermissionMode: bypassPermissions',
  ),
  '~/.claude/agents/claude.md': toFile('name: claude\ndescription: Of Claude Code.\ntools: Read, Grep, WebSearch'),
  '~/.klaus/agents/without-commands.md': toFile(
    'name: without-commands\ndescription: Edits.\ncapabilities: [file-operations]\ndisallowedTools: [delete_file]',
  ),
};

async function openAs(options: OpenOptions) {
  await using engine = await createTestEngine({ script: { steps: [], fallback: { text: 'Done.' } }, files: FILES });
  const session = await engine.klaus.open(options);
  await session.prompt('hello');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  const { tools = [], system } = engine.server.requests[0]!.json as { tools?: { name: string }[]; system: unknown };
  return {
    opened: ofType(events, 'session.opened')[0]!,
    notices: ofType(events, 'notice'),
    tools: tools.map(({ name }) => name),
    request: engine.server.requests[0]!.body,
    system: JSON.stringify(system),
  };
}

test('an agent without capabilities can only chat', async () => {
  const { opened, tools, system, request } = await openAs({ agent: 'chatter' });
  expect(tools).toEqual([]);
  expect(opened).toMatchObject({ agent: 'chatter', grant: { authorities: [] }, system: 'You only talk.' });
  expect(system).toContain('You only talk.');
  expect(request).not.toContain('The instructions of the project.');
});

test('its grant, its limits and its mode are those of the definition', async () => {
  const reader = await openAs({ agent: 'reader' });
  expect(reader.opened.limits.turns).toBe(3);
  expect(reader.tools).toContain('read_file');
  expect(reader.tools).not.toContain('edit_file');
  expect(reader.system).toContain('reader');
  expect(reader.request).toContain('The instructions of the project.');
  const planner = await openAs({ agent: 'planner' });
  expect(planner.opened.mode).toBe('plan');
  expect(planner.tools).not.toContain('write_file');
});

test('the user can narrow an agent, and a definition cannot widen what the user gives', async () => {
  const mine = await openAs({
    agent: 'wide',
    grant: 'fs(., r) · tool(*) · net(example.com)',
    mode: 'ask',
    limits: { turns: 2 },
  });
  expect(mine.opened).toMatchObject({ mode: 'ask', limits: { turns: 2 } });
  const kinds = new Set(mine.opened.grant.authorities.map(({ kind }) => kind));
  expect(kinds).toEqual(new Set(['fs', 'tool']));
  expect(mine.tools).not.toContain('run_command');
  expect((await openAs({ agent: 'reader', limits: { turns: 2 } })).opened.limits.turns).toBe(2);
  expect((await openAs({ agent: 'reader', limits: { turns: 9 } })).opened.limits.turns).toBe(3);
});

test('tools of Claude Code give the least authority, and an unknown tool is reported', async () => {
  const { opened, tools, notices } = await openAs({ agent: 'claude' });
  expect(tools).toEqual(['read_file', 'search_files']);
  expect(opened.grant.authorities).toMatchObject([
    { kind: 'fs', rights: 'r' },
    { kind: 'tool', name: 'read_file' },
    { kind: 'tool', name: 'search_files' },
  ]);
  expect(notices).toMatchObject([{ level: 'warn', text: expect.stringContaining('WebSearch') }]);
});

test('a tool that the definition disallows is not offered', async () => {
  const { tools } = await openAs({ agent: 'without-commands' });
  expect(tools).toContain('write_file');
  expect(tools).not.toContain('delete_file');
});

test('an unknown agent is an error that names the nearest one', async () => {
  await using engine = await createTestEngine({ script: { steps: [] }, files: FILES });
  await expect(engine.klaus.open({ agent: 'reade' })).rejects.toMatchObject({
    code: 'usage',
    hint: expect.stringContaining('reader'),
  });
});

test('agents are saved, changed and removed', async () => {
  await using engine = await createTestEngine({ script: { steps: [] }, files: FILES });
  const agents = engine.klaus.agents();
  const definition = { name: 'new-one', description: 'New.', capabilities: ['web-access'], systemPrompt: 'Search.' };
  const file = await agents.save(definition);
  expect((await agents.find('new-one')).definition).toEqual(definition);
  await expect(agents.save(definition)).rejects.toMatchObject({ code: 'usage' });
  await expect(agents.save({ ...definition, name: '../x' })).rejects.toMatchObject({ code: 'config' });
  await expect(agents.save({ ...definition, name: 'other', capabilities: ['root'] })).rejects.toMatchObject({
    code: 'config',
  });
  expect(await agents.save({ ...definition, description: 'Changed.' }, { replace: true })).toBe(file);
  expect((await agents.find('new-one')).definition.description).toBe('Changed.');
  await agents.remove('new-one');
  await expect(agents.find('new-one')).rejects.toMatchObject({ code: 'usage' });
});
