// Covers test/live: the checks of a real model server pass at a correct server, and each fails at one that breaks its promise.
import { expect, test } from 'vitest';
import { runChecks } from './run-checks.ts';
import { readServerFacts, type ServerFacts } from './server-facts.ts';
import { promptOf, refuse, startStrictServer, WINDOW, type Change, type ServerFaults } from './strict-server.ts';
import { WIRES, type Wire } from './target.ts';

async function run(
  faults: ServerFaults,
  wire: Wire,
  only?: readonly string[],
  claimed: Partial<ServerFacts> = {},
): Promise<Record<string, string>> {
  const target = await startStrictServer(faults);
  const facts = { ...(await readServerFacts(target)), contextWindow: WINDOW, ...claimed };
  const [report] = await runChecks({ target, facts, wires: [wire], isAnyWire: false, only });
  return Object.fromEntries(
    report!.results.map(({ name, status, detail }) => [name, status === 'passed' ? status : `${status}: ${detail}`]),
  );
}

test.each(WIRES)('all checks pass at a correct server: %s', async (wire) => {
  expect(await run({}, wire)).toEqual({
    streaming: 'passed',
    usage: 'passed',
    'a cut answer': 'passed',
    'text that is not ASCII': 'passed',
    'a second turn': 'passed',
    'a session of ten turns': 'passed',
    'cancel in mid-answer': 'passed',
    'a tool call and its result': 'passed',
    // At llama.cpp alone.
    'the window that the server has': expect.stringMatching(/^skipped/),
    'tools that the template drops': expect.stringMatching(/^skipped/),
    'an unknown model': 'passed',
    'a wrong key': 'passed',
    'an invalid request': 'passed',
    'an image': 'passed',
    'a prompt longer than the window': 'passed',
    'a session that passes the window': 'passed',
  });
});

const has = (pattern: RegExp, status: number, message: string): Change => {
  return (body, response) => pattern.test(JSON.stringify(body)) && refuse(response, status, message);
};

test.each<[check: string, faults: ServerFaults]>([
  ['streaming', { isBuffered: true }],
  ['usage', { edit: (answer) => answer.replaceAll(/"usage":/g, '"no_usage":') }],
  ['a cut answer', { edit: (answer) => answer.replaceAll('"length"', '"stop"').replaceAll(':16,', ':15,') }],
  ['text that is not ASCII', { edit: (answer) => answer.replaceAll('ß', '\uFFFD') }],
  ['an unknown model', { change: has(/no-such-model/, 500, 'no') }],
  ['an invalid request', { change: (body, response) => promptOf(body) === '[]' && refuse(response, 500, 'no') }],
  ['an image', { change: has(/"image/, 400, 'no') }],
  [
    'a prompt longer than the window',
    { change: (body, out) => promptOf(body).length > 30_000 && refuse(out, 400, 'no') },
  ],
])('%s fails at a server that breaks it', async (check, faults) => {
  expect((await run(faults, 'chat', [check]))[check]).toMatch(/^failed/);
});

test('a session of ten turns needs of llama.cpp that all of each prompt is reused', async () => {
  const name = 'a session of ten turns';
  const claimed = { software: 'llama.cpp' };
  expect(await run({}, 'chat', [name], claimed)).toEqual({ [name]: 'passed' });
  const edit = (answer: string): string => answer.replaceAll(/"cached_tokens":\d+/g, '"cached_tokens":100');
  expect((await run({ edit }, 'chat', [name], claimed))[name]).toMatch(/^failed/);
});

test('a wire that the server does not have is reported, and fails only if it was requested', async () => {
  const target = await startStrictServer({ change: (_, response) => refuse(response, 404, 'Not Found') });
  const options = { target, facts: await readServerFacts(target), wires: ['chat'] as const, only: ['streaming'] };
  expect(await runChecks({ ...options, isAnyWire: true })).toMatchObject([{ results: [] }]);
  expect(await runChecks({ ...options, isAnyWire: false })).toMatchObject([{ results: [{ status: 'failed' }] }]);
});
