// Covers adapters/runners, core/agent/runner, sdk/open: an agent of another program, over the real protocol.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findProcesses } from '../../adapters/sandboxes/sandbox.fixture.ts';
import { createDrivenEngine, runAgent, toDefinition, toSaid } from '../fixtures/acp-agent.ts';
import { createTestEngine, ofType, outcomeOf } from '../fixtures/engine.ts';
import { splitCases } from '../fixtures/split-cases.ts';

test('files and terminals of the agent are tools of Klaus, through the gate', async () => {
  await using engine = await createDrivenEngine();
  const { workspace } = engine.place;
  const prompt = [
    'say one',
    `read ${workspace}/README.md`,
    `write ${workspace}/new.txt some text`,
    'run echo hi there; exit 3',
    'kill echo up; sleep 1000',
    'read /etc/hostname',
    'run rm -rf /',
    'think deep',
  ];
  const { events } = await runAgent(engine, prompt.join('\n'));
  const said = toSaid(events);
  expect(said).toContain('one\nread: # Test\n\nwritten\nexit 3: hi there\n');
  expect(said).toContain('killed null SIGTERM');
  expect(said.match(/refused: /g)).toHaveLength(1);
  expect(said).toContain('exit 126: Denied');
  expect(readFileSync(join(workspace, 'new.txt'), 'utf8')).toBe('some text');
  const decided = ofType(events, 'gate.decided').map(({ name, verdict }) => [name, verdict]);
  expect(decided.slice(0, -1)).toEqual([
    ['read_file', 'allow'],
    ['write_file', 'allow'],
    ['run_command', 'allow'],
    ['run_command', 'allow'],
    ['read_file', 'deny'],
    ['run_command', 'deny'],
  ]);
  const outcomes = ofType(events, 'tool.finished').map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['ok', 'ok', 'error', 'cancelled', 'denied', 'denied']);
  expect(ofType(events, 'runner.opened')).toMatchObject([{ runner: 'acp', agent: 'fixture 1.0', resumed: false }]);
  // No request to a model of Klaus.
  expect(engine.server.requests).toHaveLength(0);
});

test('permissions are judged by what the call does, and only this call is allowed', async () => {
  await using engine = await createDrivenEngine();
  const { workspace } = engine.place;
  const requests = [
    `edit ${workspace}/edited.txt abc`,
    `edit ${workspace}/../outside.txt abc`,
    'permit execute ls -l',
    'permit execute rm -rf /',
    'permit fetch https://example.com/x',
    'permit other magic',
    'permit read /etc/passwd',
    `permit delete ${workspace}/.git/config`,
  ];
  const { events } = await runAgent(engine, requests.join('\n'));
  expect(toSaid(events).trim().split('\n')).toEqual(
    ['once', 'rejected', 'once', 'rejected', 'rejected', 'rejected', 'rejected', 'rejected'].map(
      (answer) => `permission: ${answer}`,
    ),
  );
  const rules = ofType(events, 'gate.decided').map(({ name, verdict, rule }) => `${name} ${verdict} ${rule}`);
  expect(rules).toEqual(
    expect.arrayContaining([
      'agent_edit allow grant',
      'agent_edit deny path',
      'agent_execute deny shell',
      'agent_fetch ask grant',
      'agent_other ask unclear',
      'agent_read deny path',
    ]),
  );
  // What it asked for before was not observed without a decision.
  expect(ofType(events, 'tool.started').every(({ observed }) => observed === undefined)).toBe(true);
  const edit = ofType(events, 'tool.started').find(({ name }) => name === 'agent_edit');
  expect(edit?.diff).toContain('+abc');
});

test(
  'what the agent does by itself is recorded as observed, and the turn can be undone and redone',
  { tags: ['long'] },
  async () => {
    await using engine = await createDrivenEngine();
    const { workspace } = engine.place;
    const { id, events } = await runAgent(
      engine,
      `act ${workspace}/acted.txt one\nhide ${workspace}/hidden.txt two\nhide ${workspace}/README.md three`,
    );
    expect(ofType(events, 'tool.started')).toMatchObject([{ name: 'agent_edit', observed: true }]);
    expect(ofType(events, 'gate.decided').filter(({ name }) => name === 'agent_edit')).toEqual([]);
    const session = engine.klaus.handle(id);
    const { changes } = await session.turnChanges(1);
    expect(changes.map(({ path }) => path).toSorted()).toEqual(['README.md', 'acted.txt', 'hidden.txt']);
    expect(await session.restore({ kind: 'undo' }, { by: 'test' })).toMatchObject({ done: true });
    expect(existsSync(join(workspace, 'hidden.txt'))).toBe(false);
    expect(existsSync(join(workspace, 'acted.txt'))).toBe(false);
    expect(readFileSync(join(workspace, 'README.md'), 'utf8')).toBe('# Test\n');
    expect(await session.restore({ kind: 'redo' }, { by: 'test' })).toMatchObject({ done: true });
    expect(readFileSync(join(workspace, 'hidden.txt'), 'utf8')).toBe('two');
  },
);

test('changes at protected places are reverted', async () => {
  await using engine = await createDrivenEngine();
  const { workspace } = engine.place;
  const { events } = await runAgent(engine, `hide ${workspace}/.mcp.json {}\nhide ${workspace}/ok.txt fine`);
  expect(existsSync(join(workspace, '.mcp.json'))).toBe(false);
  // The agent is informed in a further turn.
  expect(ofType(events, 'turn.finished')).toHaveLength(2);
  expect(existsSync(join(workspace, 'ok.txt'))).toBe(true);
});

test('calls at the same time keep their own results', { tags: ['long'] }, async () => {
  await using engine = await createDrivenEngine();
  const { events } = await runAgent(engine, `both ${engine.place.workspace}/README.md\nsay end`);
  const finished = ofType(events, 'tool.finished').map(({ name, outcome, index }) => [name, outcome, index]);
  expect(finished).toEqual([
    ['read_file', 'ok', 2],
    ['agent_search', 'ok', 1],
    ['agent_search', 'ok', 0],
  ]);
  expect(outcomeOf(events)?.outcome).toBe('done');
});

test('a call that the agent leaves open has an unknown outcome', async () => {
  await using engine = await createDrivenEngine();
  const { events } = await runAgent(engine, 'open a long command\nsay end');
  expect(ofType(events, 'tool.finished')).toMatchObject([{ name: 'agent_execute', outcome: 'unknown' }]);
  expect(outcomeOf(events)?.outcome).toBe('done');
});

test('a command of a terminal that is left open ends with the turn', async () => {
  await using engine = await createDrivenEngine();
  const mark = `3600.${process.pid}3`;
  const { events } = await runAgent(engine, `background sleep ${mark}\nsay end`);
  expect(ofType(events, 'tool.finished')).toMatchObject([{ name: 'run_command', outcome: 'cancelled' }]);
  expect(findProcesses(mark)).toEqual([]);
  expect(outcomeOf(events)?.outcome).toBe('done');
});

test('a later prompt continues the session of the agent, in another process too', { tags: ['long'] }, async () => {
  await using engine = await createDrivenEngine();
  const { id } = await runAgent(engine, 'say first');
  await engine.reopen();
  const session = await engine.klaus.session(id);
  await session.prompt('history');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  expect(toSaid(events)).toContain('I know 1 prompts');
  expect(toSaid(events)).not.toContain('REPEATED');
  expect(ofType(events, 'runner.opened').map(({ resumed }) => resumed)).toEqual([false, true]);
});

test('an agent that cannot load its session gets the conversation as text', async () => {
  await using engine = await createDrivenEngine({ flags: ['--no-load'] });
  const { id } = await runAgent(engine, 'say first');
  const session = await engine.klaus.session(id);
  await session.prompt('history');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  expect(toSaid(events)).toContain('I was given the conversation. I know 0 prompts');
  expect(ofType(events, 'notice').map(({ text }) => text)).toContainEqual(expect.stringContaining('earlier session'));
});

test('the instructions of the definition are sent once', { tags: ['long'] }, async () => {
  await using engine = await createDrivenEngine({
    files: { '.klaus/agents/other.md': `${toDefinition()}\nYou are terse.\n` },
  });
  const { id } = await runAgent(engine, 'say one');
  const session = await engine.klaus.session(id);
  await session.prompt('say two');
  await session.advance();
  expect(toSaid(await Array.fromAsync(session.events()))).toBe('I have instructions. one\ntwo\n');
});

test('usage and costs that the agent reports are counted', { tags: ['long'] }, async () => {
  await using engine = await createDrivenEngine({ flags: ['--usage'] });
  const { id, events } = await runAgent(engine, 'cost 0.5\nsay x');
  expect(outcomeOf(events)).toMatchObject({ usage: { input: 100, output: 50 }, usd: 0.5 });
  const session = await engine.klaus.session(id);
  await session.prompt('cost 0.75');
  await session.advance();
  // A new process of the agent reports the costs of its session, of which the earlier ones are known.
  expect(ofType(await Array.fromAsync(session.events()), 'model.attempted').at(-1)).toMatchObject({ usd: 0.25 });
});

for (const { cases, tags } of splitCases(
  [
    ['toolCalls', { toolCalls: 2 }, 'permit execute ls\npermit execute pwd\npermit execute id\nsay end'],
    ['tokens', { tokens: 100 }, 'say one'],
    ['turns', { turns: 1 }, 'say one'],
  ] as const,
  1,
))
  test.for(cases)('the limit of %s ends the run', { tags }, async ([limit, limits, prompt]) => {
    await using engine = await createDrivenEngine({ flags: ['--usage'] });
    const { id, events } = await runAgent(engine, prompt, { limits });
    const session = engine.klaus.handle(id);
    if (limit !== 'toolCalls') {
      expect(outcomeOf(events)?.outcome).toBe('done');
      await session.prompt('say two');
      await session.advance();
    }
    const all = await Array.fromAsync(session.events());
    expect(outcomeOf(all)).toMatchObject({ outcome: 'limit', limit: { limit } });
    expect(toSaid(all)).not.toContain('two');
    expect(toSaid(all)).not.toContain('end');
  });

for (const { cases, tags } of splitCases(
  [
    ['crash', 'ended by SIGKILL'],
    ['fail', 'Authentication required'],
    ['refuse', 'refused'],
  ],
  1,
))
  test.for(cases)(
    '%s ends the run with a clear failure, and the next prompt works',
    { tags },
    async ([step, reason]) => {
      await using engine = await createDrivenEngine();
      const { id, events } = await runAgent(engine, `open something\n${step}`);
      expect(outcomeOf(events)).toMatchObject({
        outcome: 'failed',
        reason: expect.stringContaining(reason!) as string,
      });
      expect(ofType(events, 'tool.finished')).toMatchObject([{ outcome: 'unknown' }]);
      const session = await engine.klaus.session(id);
      await session.prompt('history');
      await session.advance();
      const all = await Array.fromAsync(session.events());
      expect(outcomeOf(all)?.outcome).toBe('done');
      expect(toSaid(all)).toContain('I know 1 prompts');
    },
  );

test('a program that is no agent, or is missing, is a clear failure', { tags: ['long'] }, async () => {
  const toCommand = (words: string[]) =>
    `---\nname: other\ndescription: x\nrunner: acp\ncapabilities: [file-operations, code-execution]\ncommand: ${JSON.stringify(words)}\n---\n`;
  for (const words of [['no-such-program-xyz'], ['sh', '-c', 'echo no protocol; exit 7'], ['true']]) {
    await using engine = await createDrivenEngine({ files: { '.klaus/agents/other.md': toCommand(words) } });
    const { events } = await runAgent(engine, 'hello');
    expect(outcomeOf(events)).toMatchObject({ outcome: 'failed', error: { code: 'runner.failed' } });
  }
});

test('lines that are no messages of the protocol do not end the turn', async () => {
  await using engine = await createDrivenEngine();
  const { events } = await runAgent(engine, 'garbage\nsay still here');
  expect(toSaid(events)).toContain('still here');
  expect(outcomeOf(events)?.outcome).toBe('done');
});

test('the log of such a session verifies, and a replay says why it is not possible', { tags: ['long'] }, async () => {
  await using engine = await createDrivenEngine();
  const { id } = await runAgent(engine, 'say one\nrun true');
  expect(await engine.klaus.handle(id).replay()).toMatchObject({ outcome: 'unplayable', seq: 1 });
  const { sessions } = await engine.klaus.store.audit();
  expect(sessions).toMatchObject([{ session: id, report: { intact: true } }]);
});

test('a definition of the project does not run its program without the agreement of the user', async () => {
  await using engine = await createDrivenEngine();
  await expect(engine.klaus.open({ agent: 'other' })).rejects.toMatchObject({
    code: 'usage',
    hint: expect.stringContaining('--trust-command') as string,
  });
});

test('another agent cannot start it, not as a worker either', async () => {
  const spawn = { name: 'spawn_agent', input: { agent: 'other', task: 'say x' } };
  await using engine = await createTestEngine({
    script: { steps: [{ when: { turn: 0 }, reply: { calls: [spawn] } }], fallback: { text: 'Done.' } },
    files: { '.klaus/agents/other.md': toDefinition() },
  });
  const session = await engine.klaus.open({ grant: 'file-operations code-execution agent-creation' });
  await session.prompt('go');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  expect(ofType(events, 'tool.finished')).toMatchObject([
    { name: 'spawn_agent', outcome: 'error', output: expect.stringContaining('another program drives it') as string },
  ]);
  expect(ofType(events, 'child.opened')).toEqual([]);
  await expect(engine.klaus.open({ workers: ['other'] })).rejects.toMatchObject({ code: 'usage' });
});

test.for([
  [{ limits: { usd: 1 } }, 'config'],
  [{ model: 'scripted/test' }, 'usage'],
  [{ sandbox: 'docker' as const }, 'sandbox.unavailable'],
] as const)('%j is refused', async ([options, code]) => {
  await using engine = await createDrivenEngine();
  await expect(engine.klaus.open({ agent: 'other', trustCommand: true, ...options })).rejects.toMatchObject({ code });
});

test('a definition without a command, or with one but without a runner, is refused', async () => {
  for (const fields of ['runner: acp', 'command: [x]', 'runner: acp\ncommand: [x]\nmodel: sonnet']) {
    await using engine = await createDrivenEngine({
      files: { '.klaus/agents/other.md': `---\nname: other\ndescription: x\n${fields}\n---\n` },
    });
    await expect(engine.klaus.open({ agent: 'other', trustCommand: true })).rejects.toMatchObject({ code: 'config' });
  }
});

test('secrets that the agent reads and says are not in the log', async () => {
  const secret = 'sk-proj-4f1c9b7e2a60d8c3b5a7f9e1d3c5b7a9';
  await using engine = await createDrivenEngine();
  const { workspace } = engine.place;
  writeFileSync(join(workspace, '.env'), `TOKEN=${secret}\n`);
  const { events } = await runAgent(engine, `leak ${workspace}/.env\nread ${workspace}/.env`);
  expect(toSaid(events)).toContain('TOKEN=[secret:');
  expect(toSaid(events)).toContain('refused');
  expect(JSON.stringify(events)).not.toContain(secret);
});

test('what the agent reads from the web makes it ask before it sends anything out', async () => {
  const head = 'capabilities: [file-operations, code-execution, web-access]\nenv: [ACP_STORE]';
  await using engine = await createDrivenEngine({ head });
  const lines = ['permit fetch https://example.com/x', 'permit fetch https://example.com/y'];
  const { events } = await runAgent(engine, lines.join('\n'), {
    grant: 'file-operations code-execution web-access',
    mode: 'auto',
  });
  expect(toSaid(events).trim().split('\n')).toEqual(['permission: once', 'permission: rejected']);
  expect(ofType(events, 'gate.decided')).toMatchObject([{ verdict: 'allow' }, { verdict: 'ask', rule: 'taint' }]);
  const [first] = ofType(events, 'tool.finished');
  expect(first).toMatchObject({ outcome: 'ok', untrusted: { source: 'https://example.com/x', isWeb: true } });
});
