// Covers apps/debug, apps/debug/investigate: the parts of an investigation, its modes and its failures.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { StackFrame } from 'klendathu/contract';
import { ContextCallable, ContextItem, investigate, KlendathuError, type InvestigateOptions } from 'klendathu';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { scripted, toSeen } from './scripted-agent.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'klendathu-investigate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const rejections: unknown[] = [];
const keepRejection = (error: unknown) => void rejections.push(error);
beforeEach(() => void process.on('unhandledRejection', keepRejection));
afterEach(async () => {
  await new Promise(setImmediate);
  process.off('unhandledRejection', keepRejection);
  expect(rejections).toEqual([]);
});

let errors = 0;

/** An error with a fingerprint of its own. */
function toError(): Error {
  return Object.assign(new TypeError('broken'), { code: `E_${'x'.repeat((errors += 1))}` });
}

test('the agent looks at the error and the items, and all parts of the investigation arrive', async () => {
  const user = { name: 'Ada', password: 'hunter2-hunter2' };
  const run = investigate(
    {
      error: toError(),
      user: new ContextItem(user, 'who signs in'),
      double: new ContextCallable((n: number) => n * 2, 'twice'),
    },
    {
      ...scripted({ event: { type: 'run.started' } }, { call: 'eval', input: { code: 'user.name + double(2)' } }),
      instructions: 'Be brief.',
    },
  );
  const types = Array.fromAsync(run.stderr, ({ type }) => type);
  const report = await run;
  const { input, results, argv } = toSeen(report);
  expect(argv).toEqual(['--json', '--events-fd', '3']);
  expect(input).toMatchObject({
    mode: 'investigate',
    pid: process.pid,
    protocol: 1,
    language: 'javascript',
    access: 'read',
    extraInstructions: 'Be brief.',
    error: { name: 'TypeError', message: 'broken' },
    context: [
      { name: 'error', type: 'TypeError' },
      { name: 'user', description: 'who signs in' },
      { name: 'double', description: 'twice' },
    ],
  });
  expect(JSON.stringify(input)).not.toContain('hunter2');
  expect(JSON.parse(results[0]!.text)).toMatchObject({ result: '"Ada4"' });
  expect(await types).toEqual(['turn', 'turn', 'tool_call', 'tool_result', 'summary']);
  expect(await Array.fromAsync(run.stderr)).toHaveLength(5);
  expect(await Array.fromAsync(run.events)).toEqual([{ type: 'run.started' }]);
  expect(await run.summary).toEqual(report.stats);
  expect(report.stats).toMatchObject({ turns: 2, cost: 0.25, finishReason: 'completed' });
  expect([String(report), `${report as unknown as string}`, inspect(report)]).toEqual([
    report.text,
    report.text,
    report.text,
  ]);
});

test('the program gives the CLI no variable but those that it needs', async () => {
  process.env['STRIPE_API_KEY'] = 'sk_live_1';
  process.env['OPENAI_API_KEY'] = 'sk-o';
  try {
    const { env } = toSeen(await investigate(toError(), scripted()));
    expect(env).toMatchObject({ OPENAI_API_KEY: 'sk-o', PATH: process.env['PATH'] });
    expect(Object.keys(env)).not.toContain('STRIPE_API_KEY');
    expect(Object.keys(env)).not.toContain('VITEST');
  } finally {
    delete process.env['STRIPE_API_KEY'];
    delete process.env['OPENAI_API_KEY'];
  }
});

for (const { cases, tags } of splitCases(
  [
    'a text',
    42,
    undefined,
    null,
    Symbol('s'),
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap');
        },
      },
    ),
  ],
  2,
))
  test.each(cases)('any thrown value: %#', { tags }, async (value) => {
    expect(toSeen(await investigate(value, { ...scripted(), dedupe: false })).input).toMatchObject({
      mode: 'investigate',
    });
  });

test('a context of any values', async () => {
  const cycle: Record<string, unknown> = { big: 2n ** 70n, text: 'x'.repeat(50_000_000) };
  cycle['self'] = cycle;
  const context = {
    cycle,
    many: Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key${at}`, at])),
    proxy: new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('trap');
        },
      },
    ),
    get bad(): never {
      throw new Error('read');
    },
  };
  const steps = ['cycle', 'many', 'proxy'].map((code) => ({ call: 'eval', input: { code } }));
  const { results } = toSeen(await investigate(context, scripted(...steps)));
  expect(results).toHaveLength(3);
  expect(JSON.stringify(results).length).toBeLessThan(200_000);
});

test.each([
  ['killed', scripted({ kill: true }), 'cli-died'],
  ['without a report', scripted({ print: '' }), 'cli-outdated'],
  ['an invalid report', scripted({ print: '{"text": 1}' }), 'cli-outdated'],
  [
    'no key',
    scripted({ log: 'No key', level: 'error', code: 'auth', hint: 'Set ANTHROPIC_API_KEY.' }, { exit: 3 }),
    'auth',
  ],
  ['no such program', { ...scripted(), cliPath: '/none/cli.js' }, 'cli-missing'],
  ['a program that is no CLI', { ...scripted(), cliPath: '/bin/false' }, 'cli-died'],
  ['no Node.js', { ...scripted(), env: { KLENDATHU_NODE: '/none', PATH: '/none' } }, 'node-missing'],
  ['an invalid mode', { ...scripted(), mode: 'other' as never }, 'input'],
  ['an invalid time-out', { ...scripted(), timeoutMs: -1 }, 'input'],
  ['an invalid budget', { ...scripted(), budget: { usd: Number.NaN } }, 'input'],
])('%s: a typed error with the original error, and a summary', async (_, options: InvestigateOptions, code) => {
  const error = toError();
  const run = investigate(error, { ...options, dedupe: false });
  expect(await run.summary).toMatchObject({ finishReason: 'error' });
  const failure: unknown = await run.catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code, cause: error });
  expect(KlendathuError.isInstance(failure)).toBe(true);
});

test('a reader of one part alone is enough, with any outcome', { tags: ['long'] }, async () => {
  const died = investigate(toError(), scripted({ kill: true }));
  expect((await Array.fromAsync(died.stderr)).length).toBeGreaterThan(0);
  await investigate(toError(), scripted({ kill: true })).summary;
  expect(await Array.fromAsync(investigate(toError(), scripted({ exit: 1 })).events)).toEqual([]);
});

test('garbage on standard error does not matter', { tags: ['long'] }, async () => {
  const run = investigate(toError(), scripted({ garbage: 500_000 }));
  expect(toSeen(await run).results).toEqual([]);
  expect(await run.summary).toMatchObject({ finishReason: 'completed' });
});

test('cancelled before it starts: nothing runs', async () => {
  const count = join(folder, 'before');
  for (const cancel of [
    () => investigate(toError(), { ...scripted({ count }), signal: AbortSignal.abort() }),
    () => {
      const run = investigate(toError(), scripted({ count }));
      run.cancel();
      return run;
    },
  ]) {
    const run = cancel();
    await expect(run).rejects.toMatchObject({ code: 'cancelled' });
    expect(await run.summary).toMatchObject({ finishReason: 'cancelled' });
  }
  expect(existsSync(count)).toBe(false);
});

for (const { cases, tags } of splitCases(['signal', 'cancel', 'timeout'] as const, 1))
  test.each(cases)('%s ends an agent that does not answer, and its programs', { tags }, async (way) => {
    const pidFile = join(folder, way);
    const stop = new AbortController();
    const timeoutMs = way === 'timeout' ? 3000 : undefined;
    const run = investigate(toError(), { ...scripted({ hang: true, pidFile }), signal: stop.signal, timeoutMs });
    for await (const message of run.stderr) if (message.type === 'log') break;
    if (way === 'cancel') run.cancel();
    if (way === 'signal') stop.abort();
    await expect(run).rejects.toMatchObject({ code: way === 'timeout' ? 'timeout' : 'cancelled' });
    await run.summary;
    const pids = JSON.parse(readFileSync(pidFile, 'utf8')) as number[];
    await vi.waitFor(() => expect(pids.filter((pid) => isAlive(pid))).toEqual([]), { timeout: 30_000 });
    run.cancel();
  });

test(
  'errors with one fingerprint share a run and its report; others run at the same time',
  { tags: ['long'] },
  async () => {
    const count = join(folder, 'shared');
    const other = investigate(toError(), scripted());
    // The place of the call is a part of the fingerprint.
    const [first, ...later] = Array.from({ length: 4 }, () => investigate(new Error('same'), scripted({ count })));
    const report = await first!;
    const reports = await Promise.all(later);
    expect(reports.map(({ text }) => text)).toEqual(reports.map(() => report.text));
    expect([report, ...reports].map(({ occurrences }) => occurrences)).toEqual([1, 4, 4, 4]);
    expect(await Array.fromAsync(later[2]!.stderr)).toEqual(await Array.fromAsync(first!.stderr));
    expect(readFileSync(count, 'utf8')).toBe('+');
    expect(toSeen(await other).results).toEqual([]);
  },
);

test(
  'without dedupe each error has a run of its own, and an ended run is remembered with it',
  { tags: ['long'] },
  async () => {
    const count = join(folder, 'own');
    for (const dedupe of [true, true, false]) await investigate(new Error('again'), { ...scripted({ count }), dedupe });
    expect(readFileSync(count, 'utf8')).toBe('++');
  },
);

test('a shared run that its caller cancels is continued by the next one', async () => {
  const error = toError();
  const pidFile = join(folder, 'continued');
  const first = investigate(error, scripted({ hang: true, pidFile }));
  for await (const message of first.stderr) if (message.type === 'log') break;
  const second = investigate(error, scripted());
  first.cancel();
  await expect(first).rejects.toMatchObject({ code: 'cancelled' });
  expect(toSeen(await second).results).toEqual([]);
});

test('a failed run is not remembered', async () => {
  const error = toError();
  await expect(investigate(error, scripted({ kill: true }))).rejects.toMatchObject({ code: 'cli-died' });
  expect(toSeen(await investigate(error, scripted())).results).toEqual([]);
});

test('record: no agent, a file without secrets, and a counter', async () => {
  const recordsFolder = join(folder, 'records');
  const count = join(folder, 'recorded');
  const options = { ...scripted({ count }), mode: 'record', recordsFolder } as const;
  const context = { token: 'tok-5f3a9c1e7b' };
  const runs = Array.from({ length: 3 }, () => investigate({ error: new RangeError('recorded'), ...context }, options));
  const [report] = await Promise.all(runs);
  expect(await runs[0]!.summary).toMatchObject({ turns: 0, cost: 0, finishReason: 'recorded' });
  expect(await runs[2]).toMatchObject({ record: report!.record, occurrences: 3 });
  const text = readFileSync(report!.record!, 'utf8');
  expect(JSON.parse(text)).toMatchObject({ error: { name: 'RangeError', message: 'recorded' }, count: 1 });
  expect(text).not.toContain(context.token);
  expect(existsSync(count)).toBe(false);
});

test(
  'frozen: the agent looks at a record in another process, while this one may be busy',
  { tags: ['long'] },
  async () => {
    const recordsFolder = join(folder, 'frozen');
    const order = { items: [{ price: 3 }, { price: undefined }], note: 'n' };
    const run = investigate(
      { error: toError(), order },
      {
        ...scripted(
          { call: 'eval', input: { code: 'order.items[0].price + order.items.length' } },
          { call: 'frames', input: {} },
        ),
        mode: 'frozen',
        recordsFolder,
      },
    );
    const report = await run;
    const { input, results } = toSeen(report);
    expect(input).toMatchObject({ error: { name: 'TypeError' }, projectRoot: process.cwd() });
    expect(input['pid']).not.toBe(process.pid);
    expect(JSON.parse(results[0]!.text)).toMatchObject({ result: '5' });
    const { frames } = JSON.parse(results[1]!.text) as { frames: StackFrame[] };
    expect(frames[0]).toMatchObject({ functionName: 'toError', filePath: import.meta.filename });
    expect(report.record).toContain(recordsFolder);
    expect((await run.summary).cost).toBe(0.25);
  },
);

test('frozen: the agent gets the values of this failure, not of an earlier one', { tags: ['long'] }, async () => {
  const options = { ...scripted({ call: 'eval', input: { code: 'stock' } }), mode: 'frozen', dedupe: false } as const;
  const recordsFolder = join(folder, 'frozen-again');
  const seen: unknown[] = [];
  for (const stock of [1, 2]) {
    const report = await investigate({ error: toError(), stock }, { ...options, recordsFolder });
    seen.push(JSON.parse(toSeen(report).results[0]!.text));
  }
  expect(seen).toMatchObject([{ result: '1' }, { result: '2' }]);
});

test('auto is record in production', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  const recordsFolder = join(folder, 'auto');
  const report = await investigate(toError(), { ...scripted({ kill: true }), mode: 'auto', recordsFolder });
  vi.unstubAllEnvs();
  expect(report.stats.finishReason).toBe('recorded');
});

test('a folder that cannot be written is a typed error', async () => {
  const options = { ...scripted(), mode: 'record', recordsFolder: join(import.meta.filename, 'records') } as const;
  await expect(investigate(toError(), options)).rejects.toMatchObject({ code: 'server' });
});

test('servers of the program are not disturbed by the end of an investigation', async () => {
  const server = createServer((_, response) => response.end('still here')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await investigate(toError(), scripted());
  const { port } = server.address() as AddressInfo;
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('still here');
  server.close();
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
