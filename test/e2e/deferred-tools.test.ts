// Covers core/agent/calls, core/agent/context: deferred tools and a stable prefix.
import { defineTool, type Event, type Tool } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestEngine, ofType, outcomeOf } from '../fixtures/engine.ts';

type Calls = { name: string; input: Record<string, never> | object }[];

/** A script that makes these calls, one a turn, and ends. */
function toScript(calls: Calls, wire: 'anthropic' | 'openai' = 'anthropic') {
  return {
    wire,
    steps: [
      ...calls.map(({ name, input }, turn) => ({
        when: { turn },
        reply: { calls: [{ name, input: JSON.parse(JSON.stringify(input)) }] },
      })),
      { when: { turn: calls.length }, reply: { text: 'Done.' } },
    ],
  };
}

const use = (name: string, input: object = {}) => ({ name: 'use_tool', input: { name, input } });

/** A tool of a user's own that says what it was given. */
function createEcho(name: string, more: Partial<Tool<{ text: string }>> = {}) {
  const given: string[] = [];
  const tool = defineTool({
    name,
    description: 'Translates a text into Latin.',
    input: z.object({ text: z.string() }),
    effects: ['execute'],
    resume: 'tell',
    deferred: true,
    run: async ({ text }) => {
      given.push(text);
      return { text: `LATIN ${text.length}` };
    },
    ...more,
  });
  return { tool, given };
}

const names = (events: readonly Event[]) =>
  events.flatMap((event) =>
    event.type === 'gate.decided' || event.type === 'tool.started' || event.type === 'tool.finished'
      ? [`${event.type} ${event.name}`]
      : [],
  );

test.each(['anthropic', 'openai'] as const)('a tool is found, called and logged by its name: %s', async (wire) => {
  const calls = [{ name: 'tool_search', input: { query: 'show commits' } }, use('git_log', { limit: 3 })];
  await using engine = await createTestEngine({ script: toScript(calls, wire) });
  const session = await engine.klaus.open();
  await session.prompt('What happened last?');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  expect(outcomeOf(events)).toMatchObject({ outcome: 'done', toolCalls: 2 });
  expect(names(events)).toEqual([
    'gate.decided tool_search',
    'tool.started tool_search',
    'tool.finished tool_search',
    'gate.decided git_log',
    'tool.started git_log',
    'tool.finished git_log',
  ]);
  const [found, log] = ofType(events, 'tool.finished');
  expect(found!.output).toMatch(/^git_log \(read\): \S/);
  expect(found!.output).toContain('"limit"');
  expect(log!.output).toContain('Begin');
  // The log and the history contain the message as the model wrote it.
  const [, said] = ofType(events, 'message.added').filter(({ message }) => message.origin === 'model');
  expect(said!.message.parts).toMatchObject([{ name: 'use_tool', input: { name: 'git_log', input: { limit: 3 } } }]);
  expect(engine.server.requests.at(-1)!.body).toMatch(
    /"name":"use_tool","(?:input|arguments)":"?\{\\?"name\\?":\\?"git_log/,
  );
  // Nothing before the history has changed.
  const heads = engine.server.requests.map(({ body }) => body.slice(0, body.indexOf('What happened')));
  expect(new Set(heads).size).toBe(1);
});

test('a model that calls such a tool by its own name is served as well', async () => {
  await using engine = await createTestEngine({ script: toScript([{ name: 'git_log', input: {} }]) });
  const session = await engine.klaus.open();
  await session.prompt('log');
  await session.advance();
  expect(ofType(await Array.fromAsync(session.events()), 'tool.finished')).toMatchObject([
    { name: 'git_log', outcome: 'ok' },
  ]);
});

describe('the gate sees the tool that is meant', () => {
  test('a mode that does not allow its effects denies it', async () => {
    const { tool, given } = createEcho('to_latin');
    await using engine = await createTestEngine({
      tools: [tool],
      settings: { approve: 'plan' },
      script: toScript([use('to_latin', { text: 'ave' })]),
    });
    const session = await engine.klaus.open();
    await session.prompt('translate');
    await session.advance();
    expect(ofType(await Array.fromAsync(session.events()), 'gate.decided')).toMatchObject([
      { name: 'to_latin', verdict: 'deny' },
    ]);
    expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({
      outcome: 'denied',
      reason: expect.stringContaining('to_latin'),
    });
    expect(given).toEqual([]);
  });

  test('a grant without it denies it, and it is not found', async () => {
    const { tool, given } = createEcho('to_latin');
    const calls = [{ name: 'tool_search', input: { query: 'latin' } }, use('to_latin', { text: 'ave' })];
    await using engine = await createTestEngine({ tools: [tool], script: toScript(calls) });
    const session = await engine.klaus.open({
      grant: 'fs(., r) · exec · tool(tool_search) · tool(use_tool) · tool(git_log)',
    });
    await session.prompt('translate');
    await session.advance();
    const [found, used] = ofType(await Array.fromAsync(session.events()), 'tool.finished');
    expect(found).toMatchObject({ outcome: 'ok', output: expect.stringContaining('git_log') });
    expect(used).toMatchObject({ name: 'to_latin', outcome: 'denied' });
    expect(given).toEqual([]);
  });

  test('revoking it leaves the others', async () => {
    const { tool, given } = createEcho('to_latin');
    const calls = [use('to_latin', { text: 'ave' }), use('git_log')];
    await using engine = await createTestEngine({ tools: [tool], script: toScript(calls) });
    const session = await engine.klaus.open();
    await session.revoke(['tool(to_latin)']);
    await session.prompt('translate');
    await session.advance();
    expect(ofType(await Array.fromAsync(session.events()), 'tool.finished').map(({ outcome }) => outcome)).toEqual([
      'denied',
      'ok',
    ]);
    expect(given).toEqual([]);
  });

  test('a question names it and is bound to it', async () => {
    const { tool, given } = createEcho('to_latin');
    await using engine = await createTestEngine({
      tools: [tool],
      settings: { approve: 'ask' },
      script: toScript([use('to_latin', { text: 'ave' })]),
    });
    const session = await engine.klaus.open();
    await session.prompt('translate', { onAsk: 'wait' });
    const parked = await session.advance();
    expect(parked).toMatchObject({ state: 'parked', approvals: [{ subject: { name: 'to_latin' } }] });
    const [asked] = ofType(await Array.fromAsync(session.events()), 'approval.asked');
    await engine.klaus.answer(asked!.approval, 'approved');
    await session.advance();
    expect(given).toEqual(['ave']);
  });

  test('a secret in its input reaches the tool and not the log', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    const { tool, given } = createEcho('to_latin');
    await using engine = await createTestEngine({
      tools: [tool],
      script: toScript([use('to_latin', { text: secret })]),
    });
    const session = await engine.klaus.open();
    await session.prompt('translate');
    await session.advance();
    expect(given).toEqual([secret]);
    expect(JSON.stringify(await Array.fromAsync(session.events()))).not.toContain(secret);
  });

  test('after a crash it is settled by its own word, not run again', async () => {
    const leave = new AbortController();
    const { tool, given } = createEcho('to_latin', {
      run: async ({ text }) => {
        given.push(text);
        leave.abort();
        return { text: 'never sent' };
      },
    });
    await using engine = await createTestEngine({
      tools: [tool],
      script: toScript([use('to_latin', { text: 'ave' })]),
    });
    const session = await engine.klaus.open();
    await session.prompt('translate');
    await session.advance({ signal: leave.signal });
    await session.advance();
    expect(ofType(await Array.fromAsync(session.events()), 'tool.finished')).toMatchObject([
      { name: 'to_latin', outcome: 'unknown' },
    ]);
    expect(given).toEqual(['ave']);
  });
});

test.each([
  ['no name', { input: {} }, /^Invalid input for use_tool: it takes name/],
  ['itself', { name: 'use_tool', input: { name: 'git_log', input: {} } }, /^Invalid input for use_tool/],
  ['fields in the wrong place', { name: 'git_log', limit: 3 }, /^Invalid input for use_tool/],
  ['a tool that is not there', { name: 'git_logs', input: {} }, /There is no tool git_logs\. Did you mean git_log\?/],
  ['input that does not fit', { name: 'git_log', input: { limit: 'x' } }, /^Invalid input for git_log: limit/],
  [
    'input that is a cut text',
    { name: 'git_log', input: '{"limit": 1' },
    /^The arguments of git_log are not valid JSON/,
  ],
])('use_tool with %s goes back to the model', async (_, input, message) => {
  await using engine = await createTestEngine({ script: toScript([{ name: 'use_tool', input }]) });
  const session = await engine.klaus.open();
  await session.prompt('log');
  await session.advance();
  const [finished] = ofType(await Array.fromAsync(session.events()), 'tool.finished');
  expect(finished!.outcome).toBe('error');
  expect(finished!.output).toMatch(message);
  expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome: 'done' });
});

test('input that a model wrote as text is read', async () => {
  await using engine = await createTestEngine({
    script: toScript([{ name: 'use_tool', input: { name: 'git_log', input: '{"limit": 1}' } }]),
  });
  const session = await engine.klaus.open();
  await session.prompt('log');
  await session.advance();
  expect(ofType(await Array.fromAsync(session.events()), 'tool.finished')).toMatchObject([{ outcome: 'ok' }]);
});

test('tools attached on the way are found, and no byte of an earlier request changes', async () => {
  const calls = Array.from({ length: 24 }, (_, turn) => {
    if (turn % 4 === 1) return { name: 'tool_search', input: { query: `attached_${turn}` } };
    return turn % 4 === 2
      ? use(`attached_${turn - 1}`, { text: 'ave' })
      : { name: 'read_file', input: { path: 'README.md' } };
  });
  await using engine = await createTestEngine({ script: toScript(calls) });
  const session = await engine.klaus.open();
  session.subscribe(0, (event) => {
    if (event.type !== 'turn.started' || event.turn % 4 !== 2) return;
    engine.klaus.attach([createEcho(`attached_${event.turn - 1}`, { deferred: event.turn % 8 === 2 }).tool]);
  });
  await session.prompt('go');
  await session.advance();
  const finished = ofType(await Array.fromAsync(session.events()), 'tool.finished');
  expect(finished.map(({ outcome }) => outcome)).toEqual(calls.map(() => 'ok'));
  expect(finished.filter(({ name }) => name.startsWith('attached_'))).toHaveLength(6);
  const histories = engine.server.requests.map(({ body }) => body.slice(0, body.lastIndexOf(']}],"max_tokens"')));
  for (const [at, body] of histories.entries()) if (at > 0) expect(body.startsWith(histories[at - 1]!)).toBe(true);
  // A session that opens now has those in its requests that are not deferred.
  const later = ofType(await Array.fromAsync((await engine.klaus.open()).events()), 'session.opened')[0]!;
  expect(later.tools).toContain('attached_5');
  expect(later.deferred).toContain('attached_1');
  expect(() => engine.klaus.attach([createEcho('read_file').tool])).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.stringContaining('read_file') }),
  );
});
