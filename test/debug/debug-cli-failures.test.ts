// Covers apps/debug-cli/program, apps/debug-cli/host: each failure of klendathu-cli has its code, and none hangs.
import { FAILURE_CODES } from 'klendathu/contract';
import { expect, test } from 'vitest';
import { startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { runDebugCli, startDebugCli, toInput, toRun } from './debug-cli.fixture.ts';
import { startTestHost } from './host.fixture.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const EVALS = { steps: [], fallback: { calls: [{ name: 'eval', input: { code: '1' } }] } };
const CLOSED = 'http://127.0.0.1:9/mcp';

test.each([
  ['nothing', '', 'input'],
  ['an address where nothing listens', toInput(CLOSED), 'server'],
] as const)('%s as input is a failure with a code and a summary', async (_, input, code) => {
  using place = createTestHome();
  const run = await runDebugCli({ place, input });
  expect([run.code, run.codes, run.stdout]).toEqual([FAILURE_CODES[code], [code], '']);
  expect(run.summary).toMatchObject({ finishReason: 'error', turns: 0, cost: 0 });
});

test('a descriptor that is not open is an invalid option', async () => {
  using place = createTestHome();
  const run = await runDebugCli({ place, input: toInput(CLOSED), words: ['--events-fd', '77'] });
  expect([run.code, run.codes]).toEqual([FAILURE_CODES.input, ['input']]);
});

test('without a key, the error names the variables', async () => {
  using place = createTestHome();
  await using host = await startTestHost();
  const run = await runDebugCli({ place, input: toInput(host.url), env: { AGENT_MODEL: 'opus' } });
  expect([run.code, run.codes]).toEqual([FAILURE_CODES.auth, ['auth']]);
  const error = run.messages.find((each) => each.type === 'log' && each.level === 'error');
  expect(JSON.stringify(error)).toContain('ANTHROPIC_API_KEY');
});

test(
  'an unknown model is config, a refused key auth, a failing model model, a used budget limit',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using host = await startTestHost();
    const runWith = async (script: Parameters<typeof startServer>[0], more: Record<string, unknown> = {}) => {
      await using server = await startServer(script);
      return (await runDebugCli({ place, server, input: toInput(host.url, more) })).codes;
    };
    const refuse = (status: number) => ({
      steps: [{ faults: [1, 2, 3].map(() => ({ kind: 'status' as const, status })), reply: { text: '.' } }],
    });
    expect(await runWith(EVALS, { model: 'opsu' })).toEqual(['config']);
    expect(await runWith(refuse(401))).toEqual(['auth']);
    expect(await runWith(refuse(500))).toEqual(['model']);
    expect(await runWith(EVALS, { budget: { turns: 2 } })).toEqual(['limit']);
  },
);

for (const { cases, tags } of splitCases(['die', 'garbage', 'hang'] as const, 1))
  test.each(cases)('a program that answers a call with %s is a server failure', { tags }, async (fault) => {
    using place = createTestHome();
    await using server = await startServer({
      steps: [],
      fallback: { calls: [{ name: 'eval', input: { code: '1' } }] },
    });
    await using host = await startTestHost({ fault });
    const run = await runDebugCli({ place, server, input: toInput(host.url), words: ['--request-timeout-ms', '400'] });
    expect([run.code, run.codes], run.stderr).toEqual([FAILURE_CODES.server, ['server']]);
    // The run has an end in the log: the session does not look as if it still worked.
    expect(run.summary.session).toBeDefined();
  });

test(
  'the total time-out and a signal end a run whose program hangs; its log is complete',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using server = await startServer(EVALS);
    await using host = await startTestHost({ fault: 'hang' });
    const late = await runDebugCli({ place, server, input: toInput(host.url, { timeoutMs: 3_000 }) });
    expect([late.code, late.codes, late.summary.finishReason]).toEqual([FAILURE_CODES.timeout, ['timeout'], 'timeout']);
    const running = startDebugCli({ place, server, input: toInput(host.url) });
    await running.printed('stderr', '"tool_call"');
    running.kill('SIGTERM');
    const killed = toRun(await running.ended);
    expect([killed.code, killed.codes, killed.summary.finishReason]).toEqual([
      FAILURE_CODES.cancelled,
      ['cancelled'],
      'cancelled',
    ]);
    expect(killed.summary.turns).toBe(1);
  },
);

test('a reader that closes standard output early does not fail the run', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [{ reply: { text: { repeat: 'word ', times: 100_000 } } }] });
  await using host = await startTestHost();
  const running = startDebugCli({ place, server, input: toInput(host.url) });
  running.closeStdout();
  const run = toRun(await running.ended);
  expect([run.code, run.summary.finishReason]).toEqual([0, 'completed']);
});
