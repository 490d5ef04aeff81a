// Covers adapters/runners/claude-code, core/agent/runner, sdk/open: the real Claude Code as the runner of a session.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, Script } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { runAgent, toSaid } from '../fixtures/acp-agent.ts';
import { CLAUDE_CODE_KEY, CLAUDE_CODE_TIMEOUT, CLAUDE_CODE_VERSIONS, runClaudeCode } from '../fixtures/claude-code.ts';
import { CLAUDE_HOME, createClaudeEngine } from '../fixtures/claude-runner.ts';
import { ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const options = { timeout: CLAUDE_CODE_TIMEOUT };
const SANDBOX = { 'sandbox.driver': 'bubblewrap' };

/** What happened to the calls, in order, without the checkpoint at the end of the run. */
function toCalls(events: readonly Event[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'gate.decided') return event.name.startsWith('agent_') ? [`${event.name} ${event.verdict}`] : [];
    if (event.type === 'tool.started') return ['started'];
    return event.type === 'tool.finished' ? [event.outcome] : [];
  });
}

/** Answers every question while the session works. */
async function runAnswered(engine: TestEngine, prompt: string, open: object = {}): Promise<Event[]> {
  const session = await engine.klaus.open({ agent: 'other', trustCommand: true, ...open });
  session.subscribe(0, (event) => {
    if (event.type === 'approval.asked') void engine.klaus.answer(event.approval, 'approved', { by: 'test' });
  });
  await session.prompt(prompt, { onAsk: 'wait' });
  await session.advance();
  return await Array.fromAsync(session.events());
}

const say = (text: string): Script => ({
  steps: [{ when: { tools: true }, reply: { text } }],
  fallback: { text: 'A title' },
});

for (const { cases, tags } of splitCases(CLAUDE_CODE_VERSIONS, 1))
  describe.each(cases)('Claude Code %s', { tags }, (version) => {
    test('its calls pass the gate before they run, and have one result each', options, async (context) => {
      await using engine = await createClaudeEngine(context, {
        version,
        settings: SANDBOX,
        script: {
          steps: [
            { when: { after: 'Bash', result: 'Denied' }, reply: { text: 'It was denied.' } },
            { when: { after: 'Bash' }, reply: { text: 'Now the other.', calls: [{ shell: 'rm -rf /' }] } },
            {
              when: { tools: true },
              reply: { text: 'First I run it.', calls: [{ shell: 'echo made > made.txt; cat made.txt' }] },
            },
          ],
          fallback: { text: 'A title' },
        },
      });
      const { events } = await runAgent(engine, 'make a file');
      expect(outcomeOf(events)?.outcome).toBe('denied');
      expect(readFileSync(join(engine.place.workspace, 'made.txt'), 'utf8')).toBe('made\n');
      expect(toSaid(events)).toBe('First I run it.Now the other.It was denied.');
      expect(toCalls(events)).toEqual(['agent_execute allow', 'started', 'ok', 'agent_execute deny', 'denied']);
      expect(ofType(events, 'tool.finished')[0]?.output).toBe('made');
      expect(ofType(events, 'runner.opened')).toMatchObject([
        { runner: 'claude-code', agent: expect.stringMatching(/^Claude Code/) as string },
      ]);
      const [attempt] = ofType(events, 'model.attempted');
      expect(attempt!.usd).toBeGreaterThan(0);
      expect(attempt!.usage.output).toBeGreaterThan(0);
      // The turn can be undone.
      expect(await engine.klaus.handle(events[0]!.session).restore({ kind: 'undo' }, { by: 'test' })).toMatchObject({
        done: true,
      });
      expect(existsSync(join(engine.place.workspace, 'made.txt'))).toBe(false);
    });
  });

test(
  'a question waits for the answer, and what it allows is started once',
  { ...options, tags: ['long'] },
  async (context) => {
    await using engine = await createClaudeEngine(context, {
      script: {
        steps: [
          { when: { after: 'Bash' }, reply: { text: 'Done.' } },
          { when: { tools: true }, reply: { calls: [{ shell: 'echo asked > asked.txt' }] } },
        ],
        fallback: { text: 'A title' },
      },
    });
    const events = await runAnswered(engine, 'write', { mode: 'ask' });
    expect(ofType(events, 'approval.asked')).toMatchObject([{ held: true, subject: { name: 'agent_execute' } }]);
    expect(toCalls(events)).toEqual(['agent_execute ask', 'agent_execute allow', 'started', 'ok']);
    expect(readFileSync(join(engine.place.workspace, 'asked.txt'), 'utf8')).toBe('asked\n');
  },
);

test('an agent that it starts has a child session, whose calls pass the gate', options, async (context) => {
  await using engine = await createClaudeEngine(context, {
    head: "capabilities: [file-operations, code-execution, web-access, agent-creation]\nallowedAgents: ['*']",
    script: {
      steps: [
        { when: { after: 'Agent' }, reply: { text: 'It is done.' } },
        { when: { after: 'Bash' }, reply: { text: 'I looked.' } },
        { when: { user: 'subwork' }, reply: { text: 'I look.', calls: [{ shell: 'ls', id: 'call_inner' }] } },
        {
          when: { tools: true },
          reply: {
            calls: [{ name: 'Agent', input: { description: 'look', prompt: 'subwork', subagent_type: 'Explore' } }],
          },
        },
      ],
      fallback: { text: 'A title' },
    },
  });
  const events = await runAnswered(engine, 'delegate');
  const [opened] = ofType(events, 'child.opened');
  expect(opened).toMatchObject({ agent: 'Explore', edge: 'spawn' });
  expect(ofType(events, 'child.closed')).toMatchObject([{ child: opened!.child, turns: 1, toolCalls: 1, usd: 0 }]);
  const child = await Array.fromAsync(engine.klaus.handle(opened!.child).events());
  expect(toCalls(child)).toEqual(['agent_execute allow', 'started', 'ok']);
  expect(toSaid(child)).toContain('I looked.');
  expect(outcomeOf(child)?.outcome).toBe('done');
  expect(child.at(-1)?.type).toBe('session.closed');
  expect(outcomeOf(events)?.outcome).toBe('done');
  const { sessions } = await engine.klaus.store.audit();
  expect(sessions.every(({ report }) => report.intact)).toBe(true);
});

test(
  'a later process continues the session, and imports what was said without Klaus',
  { ...options, tags: ['long'] },
  async (context) => {
    await using engine = await createClaudeEngine(context, { script: say('Hello.') });
    const { id, events } = await runAgent(engine, 'first');
    const [{ agentSession } = { agentSession: '' }] = ofType(events, 'runner.opened');
    const { command } = ofType(events, 'session.opened')[0]!.runner!;
    await runClaudeCode(['-p', '--resume', agentSession, 'said elsewhere'], {
      ...{ program: command[0]!, place: engine.place, url: engine.server.url },
      env: { HOME: join(engine.place.env['HOME']!, CLAUDE_HOME) },
    });
    for (const prompt of ['second', 'third']) {
      await engine.reopen();
      const session = await engine.klaus.session(id);
      await session.prompt(prompt);
      await session.advance();
    }
    const all = await Array.fromAsync(engine.klaus.handle(id).events());
    expect(ofType(all, 'runner.opened').map(({ resumed }) => resumed)).toEqual([false, true, true]);
    const texts = ofType(all, 'message.added').map(({ message }) =>
      message.parts.map((part) => 'text' in part && part.text).join(),
    );
    expect(texts).toEqual(['first', 'Hello.', 'second', 'said elsewhere', 'Hello.', 'Hello.', 'third', 'Hello.']);
    const usd = ofType(all, 'model.attempted').map((attempt) => attempt.usd ?? 0);
    expect(usd.every((each) => each > 0)).toBe(true);
  },
);

test(
  'a limit in dollars ends the run, and a higher one lets it continue',
  { ...options, tags: ['long'] },
  async (context) => {
    await using engine = await createClaudeEngine(context, { script: say('Hello.') });
    const session = await engine.klaus.open({ agent: 'other', trustCommand: true, limits: { usd: 0.0001 } });
    await session.prompt('one');
    await session.advance();
    await session.prompt('two');
    await session.advance();
    const events = await Array.fromAsync(session.events());
    expect(outcomeOf(events)).toMatchObject({ outcome: 'limit', limit: { limit: 'usd' } });
    await session.send({ type: 'limits', limits: { usd: 100 } });
    await session.prompt('three');
    await session.advance();
    expect(outcomeOf(await Array.fromAsync(session.events()))?.outcome).toBe('done');
  },
);

test('a cancel interrupts the turn', { ...options, tags: ['long'] }, async (context) => {
  await using engine = await createClaudeEngine(context, {
    script: {
      steps: [{ when: { tools: true }, reply: { text: 'I wait.', calls: [{ shell: 'sleep 600' }] } }],
      fallback: { text: 'A title' },
    },
  });
  const session = await engine.klaus.open({ agent: 'other', trustCommand: true });
  session.subscribe(0, (event) => {
    if (event.type === 'tool.started') void session.send({ type: 'cancel', by: 'test' });
  });
  await session.prompt('wait');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  expect(outcomeOf(events)).toMatchObject({ outcome: 'cancelled', by: 'test' });
  expect(ofType(events, 'turn.finished')).toMatchObject([{ stopReason: 'cancelled' }]);
});

test('secrets in the output of a command reach neither its model nor the log', options, async (context) => {
  await using engine = await createClaudeEngine(context, {
    script: {
      steps: [
        { when: { after: 'Bash' }, reply: { text: 'Seen.' } },
        { when: { tools: true }, reply: { calls: [{ shell: 'echo "key: $ANTHROPIC_API_KEY"' }] } },
      ],
      fallback: { text: 'A title' },
    },
  });
  const { events } = await runAgent(engine, 'show it');
  expect(ofType(events, 'tool.finished')[0]?.output).toContain('key: [secret:');
  expect(JSON.stringify(events)).not.toContain(CLAUDE_CODE_KEY);
  expect(JSON.stringify(engine.server.requests.map(({ body }) => body))).not.toContain(CLAUDE_CODE_KEY);
});

const MCP_SERVER = `
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result =
    method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } }
      : method === 'tools/list'
        ? { tools: [{ name: 'ping', description: 'Answers.', inputSchema: { type: 'object' } }] }
        : { content: [{ type: 'text', text: 'pong' }] };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});
`;

test(
  'it has the MCP servers that its definition selects, and the user decides on their calls',
  { ...options, tags: ['long'] },
  async (context) => {
    const server = (file: string): object => ({ command: process.execPath, args: [file] });
    await using engine = await createClaudeEngine(context, {
      head: 'capabilities: [file-operations, code-execution, web-access]\nmcpServers: [echo]',
      script: {
        steps: [
          { when: { after: 'mcp__echo__ping' }, reply: { text: 'It answered.' } },
          { when: { tools: true }, reply: { calls: [{ name: 'mcp__echo__ping', input: {} }] } },
        ],
        fallback: { text: 'A title' },
      },
      files: {
        'server.cjs': MCP_SERVER,
        '.mcp.json': JSON.stringify({ mcpServers: { echo: server('server.cjs'), other: server('missing.cjs') } }),
        '.klaus/agents/child.md': `---\nname: child\ndescription: Claude Code.\nrunner: claude-code\ncommand: [/bin/true]\ncapabilities: [web-access]\ninheritProjectMcps: false\ninheritParentMcps: true\n---\n`,
      },
    });
    const events = await runAnswered(engine, 'ping');
    // Of the session from which it is started, and none of the project.
    for (const [startedBy, servers] of [
      [events[0]!.session, ['echo']],
      [undefined, undefined],
    ] as const) {
      const { id } = await engine.klaus.open({
        ...{ agent: 'child', trustCommand: true },
        startedBy,
      });
      const child = await engine.klaus.store.lastOf(id, ['session.opened']);
      expect(child).toMatchObject({ type: 'session.opened' });
      expect(child?.type === 'session.opened' && child.runner?.mcpServers).toEqual(servers);
    }
    expect(ofType(events, 'session.opened')[0]?.runner?.mcpServers).toEqual(['echo']);
    expect(toCalls(events)).toEqual(['agent_other ask', 'agent_other allow', 'started', 'ok']);
    expect(ofType(events, 'tool.finished')[0]?.output).toBe('pong');
    // Programs of the project need the agreement of the user.
    await expect(engine.klaus.open({ agent: 'other' })).rejects.toMatchObject({ code: 'usage' });
  },
);

test(
  'its transcript is not needed to continue: it gets the conversation as text',
  { ...options, tags: ['long'] },
  async (context) => {
    await using engine = await createClaudeEngine(context, { script: say('Hello.') });
    const { id } = await runAgent(engine, 'first');
    const home = join(engine.place.env['HOME']!, CLAUDE_HOME);
    rmSync(join(home, '.claude/projects'), { recursive: true });
    await engine.reopen();
    const session = await engine.klaus.session(id);
    await session.prompt('second');
    await session.advance();
    const events = await Array.fromAsync(session.events());
    expect(ofType(events, 'runner.opened').map(({ resumed }) => resumed)).toEqual([false, false]);
    expect(ofType(events, 'notice').map(({ text }) => text)).toContainEqual(expect.stringContaining('earlier session'));
  },
);

const WRITES: Script = {
  steps: [
    { when: { after: 'Bash' }, reply: { text: 'Done.' } },
    { when: { tools: true }, reply: { calls: [{ shell: 'echo x > x.txt' }] } },
  ],
  fallback: { text: 'A title' },
};

test('settings of a project do not switch the gate off', options, async (context) => {
  const settings = { disableAllHooks: true, permissions: { allow: ['Bash'] } };
  await using engine = await createClaudeEngine(context, {
    head: 'capabilities: [file-operations, code-execution, web-access]\nsettingSources: [project]',
    script: WRITES,
    files: { '.claude/settings.json': JSON.stringify(settings) },
  });
  const { events } = await runAgent(engine, 'write', { mode: 'ask' });
  expect(toCalls(events)).toEqual(['agent_execute ask', 'denied']);
  expect(existsSync(join(engine.place.workspace, 'x.txt'))).toBe(false);
});

test('in mode plan nothing is changed', options, async (context) => {
  await using engine = await createClaudeEngine(context, { script: WRITES, settings: SANDBOX });
  const { events } = await runAgent(engine, 'write', { mode: 'plan' });
  expect(toCalls(events)).toEqual(['agent_execute deny', 'denied']);
  expect(existsSync(join(engine.place.workspace, 'x.txt'))).toBe(false);
});
