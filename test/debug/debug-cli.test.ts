// Covers apps/debug-cli, apps/debug/contract: an investigation from its input to its report, and every failure.
import { FAILURE_CODES, PROTOCOL_VERSION, reportSchema } from 'klendathu/contract';
import type { Script } from '@klaus/sdk';
import { createKlaus } from '@klaus/sdk';
import { readdirSync } from 'node:fs';
import { ofType } from '../fixtures/engine.ts';
import { expect, test } from 'vitest';
import { startServer } from '../fixtures/klaus.ts';
import type { ToolCall } from '../fixtures/play.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { runDebugCli, startDebugCli, toInput } from './debug-cli.fixture.ts';
import { startTestHost } from './host.fixture.ts';

const REPORT = {
  text: 'The total is never computed.',
  rootCause: { file: 'pay.js', line: 3, explanation: 'total is undefined', confidence: 0.9 },
  evidence: [{ source: 'order.total', finding: 'undefined' }],
};

/** Looks at a value, reads the source, and reports. */
const STORY: Script = {
  steps: [
    { reply: { calls: [{ name: 'eval', input: { code: 'order.items.length' } }] } },
    { when: { after: 'eval' }, reply: { calls: [{ name: 'read_file', input: { path: 'pay.js' } }] } },
    { when: { after: 'read_file' }, reply: { calls: [{ name: 'report', input: REPORT }] } },
  ],
};
const FILES = { 'pay.js': 'export function pay(order) {\n  return order.total.value;\n}\n' };

test('an input with the fields of the first contract gives a report, from a program that offers only eval', async () => {
  using place = createTestHome(FILES);
  await using server = await startServer(STORY);
  await using host = await startTestHost({ context: { order: { items: [1, 2] } } });
  const run = await runDebugCli({ place, server, input: toInput(host.url), words: ['--json'] });
  expect(run.code, run.stderr).toBe(0);
  const report = reportSchema.parse(JSON.parse(run.stdout));
  expect(report).toMatchObject(REPORT);
  expect(report.stats).toMatchObject({ finishReason: 'completed', turns: 3, toolCallsCount: 3 });
  expect(host.calls).toEqual([{ name: 'eval', arguments: { code: 'order.items.length' } }]);
  expect(run.messages.map(({ type }) => type).filter((type) => type !== 'log')).toEqual([
    'server_started',
    ...['tool_call', 'turn', 'tool_result'],
    ...['tool_call', 'turn', 'tool_result'],
    ...['tool_call', 'turn', 'tool_result'],
    'summary',
  ]);
});

test('a scripted model is a path from the project', async () => {
  using place = createTestHome({ ...FILES, 'looks.json': JSON.stringify(STORY) });
  await using host = await startTestHost({ context: { order: { items: [1, 2] } } });
  const input = toInput(host.url, { model: 'scripted/looks.json' });
  const run = await runDebugCli({ place, input, words: ['--json'] });
  expect(run.code, run.stderr).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject(REPORT);
});

test('findings are those of the program if it offers report itself', { tags: ['long'] }, async () => {
  using place = createTestHome(FILES);
  await using server = await startServer(STORY);
  await using host = await startTestHost({ context: { order: { items: [] } }, tools: ['eval', 'report'], token: 't' });
  const run = await runDebugCli({ place, server, input: toInput(host.url, { mcpToken: 't' }), words: ['--json'] });
  expect(JSON.parse(run.stdout)).toMatchObject(REPORT);
  expect(host.calls.map(({ name }) => name)).toEqual(['eval', 'report']);
});

test('the last text is the report of an agent that does not call report', { tags: ['long'] }, async () => {
  using place = createTestHome(FILES);
  const text = `It is **null**. ${'Because of this. '.repeat(50)}`.trim();
  await using server = await startServer({ steps: [{ reply: { text } }] });
  await using host = await startTestHost();
  const run = await runDebugCli({ place, server, input: toInput(host.url) });
  expect([run.code, run.stdout]).toEqual([0, `${text}\n`]);
  // None for a title.
  expect(server.requests).toHaveLength(1);
});

test(
  'the session is in the list of Klaus, with title, workspace, and a decision for every call',
  { tags: ['long'] },
  async () => {
    using place = createTestHome(FILES);
    await using server = await startServer(STORY);
    await using host = await startTestHost({ context: { order: { items: [] } } });
    const error = { name: 'TypeError', message: 'total is undefined' };
    const run = await runDebugCli({ place, server, input: toInput(host.url, { error, projectRoot: place.workspace }) });
    expect(run.code, run.stderr).toBe(0);
    await using klaus = await createKlaus({ env: place.env, cwd: place.workspace });
    const [row] = await klaus.sessions();
    expect(row).toMatchObject({ title: 'TypeError: total is undefined at pay.js:3', workspace: place.workspace });
    expect(row?.id).toBe(run.summary.session);
    const events = await Array.fromAsync(klaus.handle(row!.id).events());
    const decided = ofType(events, 'gate.decided').map(({ name, verdict }) => [name, verdict]);
    expect(decided).toEqual([
      ['eval', 'allow'],
      ['read_file', 'allow'],
      ['report', 'allow'],
    ]);
    expect(ofType(events, 'session.opened')[0]?.tools.toSorted()).toEqual(
      ['eval', 'list_files', 'read_file', 'report', 'search_files'].toSorted(),
    );
    expect(ofType(events, 'run.finished')).toMatchObject([{ outcome: 'done', by: 'klendathu' }]);
    expect((await klaus.store.attention()).items).toEqual([]);
  },
);

test('the agent cannot leave the project, read its secrets, write, or run a command', async () => {
  using place = createTestHome({ ...FILES, '.env': 'TOKEN=abc\n' });
  const calls: ToolCall[] = [
    { name: 'read_file', input: { path: '/etc/passwd' } },
    { name: 'read_file', input: { path: '.env' } },
    { name: 'write_file', input: { path: 'x', content: 'x' } },
    { name: 'run_command', input: { command: 'touch x' } },
  ];
  await using server = await startServer({ steps: [{ reply: { calls } }, { reply: { text: 'Nothing.' } }] });
  await using host = await startTestHost();
  const run = await runDebugCli({ place, server, input: toInput(host.url) });
  const results = run.messages.flatMap((each) => (each.type === 'tool_result' ? [each.isError] : []));
  expect(results).toEqual([true, true, true, true]);
  expect(readdirSync(place.workspace).toSorted()).toEqual(['.env', '.git', 'pay.js']);
});

test('evaluations beyond the budget do not reach the program, and neither do effects without access', async () => {
  using place = createTestHome(FILES);
  const calls: ToolCall[] = [
    { name: 'eval', input: { code: '1', readOnly: false } },
    { name: 'eval', input: { code: '2' } },
    { name: 'eval', input: { code: '3' } },
  ];
  await using server = await startServer({ steps: [{ reply: { calls } }, { reply: { text: 'Done.' } }] });
  await using host = await startTestHost();
  const run = await runDebugCli({ place, server, input: toInput(host.url, { budget: { evals: 1 } }) });
  expect(run.code).toBe(0);
  expect(host.calls.map(({ arguments: input }) => input)).toEqual([{ code: '2' }]);
});

const IMPLEMENT = { mode: 'implement', prompt: 'Count them.', schema: { type: 'number', title: 'ShownToTheModel' } };

test(
  'implement ends with the accepted result; the model saw the schema and the reasons of a refusal',
  { tags: ['long'] },
  async () => {
    using place = createTestHome(FILES);
    await using server = await startServer({
      steps: [
        { reply: { calls: [{ name: 'set_result', input: { result: 'two' } }] } },
        { when: { result: 'not a number' }, reply: { calls: [{ name: 'set_result', input: { result: 2 } }] } },
      ],
    });
    await using host = await startTestHost({
      tools: ['eval', 'report', 'set_result', 'fail_implementation'],
      results: [{ accepted: false, errors: ['not a number'] }, { accepted: true }],
    });
    const run = await runDebugCli({ place, server, input: toInput(host.url, IMPLEMENT) });
    expect(run.code, run.stderr).toBe(0);
    expect(host.calls.map(({ arguments: input }) => input)).toEqual([{ result: 'two' }, { result: 2 }]);
    expect(server.requests).toHaveLength(2);
    const request = server.requests[0]?.json as { tools: { name: string }[] };
    expect(JSON.stringify(request)).toContain('ShownToTheModel');
    // It would end the session without a result.
    expect(request.tools.map(({ name }) => name)).not.toContain('report');
  },
);

test.each([
  ['refused', { calls: [{ name: 'fail_implementation', input: { reason: 'no data' } }] }, 1],
  ['no-result', { text: 'I stop here.' }, 2],
] as const)('implement without a result is %s', async (code, reply, requests) => {
  using place = createTestHome(FILES);
  await using server = await startServer({ steps: [{ reply: { ...reply } as never }, { reply: { text: 'Still.' } }] });
  await using host = await startTestHost({ tools: ['eval', 'set_result', 'fail_implementation'] });
  const run = await runDebugCli({ place, server, input: toInput(host.url, IMPLEMENT) });
  expect([run.code, run.codes, run.stdout]).toEqual([FAILURE_CODES[code], [code], '']);
  expect(server.requests).toHaveLength(requests);
});

test('a tool of the program does not replace one of Klaus, and one without eval cannot be investigated', async () => {
  using place = createTestHome(FILES);
  await using server = await startServer({ steps: [{ reply: { text: 'Done.' } }] });
  await using host = await startTestHost({ tools: ['eval', 'read_file', 'odd name', 'set_result'] });
  const run = await runDebugCli({ place, server, input: toInput(host.url) });
  expect(run.code, run.stderr).toBe(0);
  expect(run.summary.warnings).toHaveLength(2);
  await using other = await startTestHost({ tools: ['report'] });
  const failed = await runDebugCli({ place, server, input: toInput(other.url) });
  expect(failed.codes).toEqual(['server']);
});

test('--help and --protocol print to standard output and nothing else', async () => {
  using place = createTestHome(FILES);
  const [help, protocol] = await Promise.all(
    ['--help', '--protocol'].map((word) => startDebugCli({ place, input: '', words: [word] }).ended),
  );
  expect(help).toMatchObject({ code: 0, stderr: '' });
  for (const option of ['--json', '--events-fd', '--templates']) expect(help?.stdout).toContain(option);
  expect(protocol).toMatchObject({ code: 0, stderr: '', stdout: `${PROTOCOL_VERSION}\n` });
});
