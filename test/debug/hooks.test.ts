// Covers apps/debug/hooks, apps/debug/bin, apps/debug/records: errors that nothing catches, and errors of servers.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expressErrorHandler, fastifyPlugin, honoOnError, wrap, type Report } from 'klendathu';
import { afterAll, expect, test, vi } from 'vitest';
import type { Step } from './scripted-cli.fixture.ts';
import { scripted, toSeen } from './scripted-agent.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'klendathu-hooks-'));
afterAll(() => rmSync(folder, { recursive: true }));

const INDEX = join(import.meta.dirname, '../../apps/debug/index.ts');
const PROGRAM = join(import.meta.dirname, '../../apps/debug/bin/klendathu.ts');
const SCRIPTED_CLI = join(import.meta.dirname, 'scripted-cli.fixture.ts');

const preload = join(folder, 'preload.mjs');
writeFileSync(
  preload,
  `import { install } from ${JSON.stringify(INDEX)};\ninstall(JSON.parse(process.env.INSTALL));\n`,
);
let programs = 0;

interface Options {
  steps?: Step[];
  args?: string[];
  install?: Record<string, unknown>;
}

/** Runs a program without and with the hook. */
async function compare(code: string, { steps = [], args = [], install = {} }: Options = {}) {
  const file = join(folder, `${(programs += 1)}.mjs`);
  writeFileSync(file, code);
  const recordsFolder = join(folder, `records-${programs}`);
  const env = {
    PATH: process.env['PATH']!,
    INSTALL: JSON.stringify({ cliPath: SCRIPTED_CLI, recordsFolder, ...install }),
    KLENDATHU_STEPS: JSON.stringify(steps),
  };
  const [bare, hooked] = await Promise.all([run([...args, file], env), run([...args, '--import', preload, file], env)]);
  return { bare, hooked, recordsFolder };
}

async function run(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number | null, stdout, stderr: stderr.replaceAll(/\(node:\d+\)/gu, '(node)') };
}

for (const { cases, tags } of splitCases<[string, string, string[]]>(
  [
    ['an error', 'function f(user) {\n  return user.name;\n}\nf(undefined);', []],
    [
      'an error with fields',
      'throw Object.assign(new RangeError("x", { cause: new Error("y") }), { code: "E", detail: { a: 1 } });',
      [],
    ],
    ['a text', 'throw "text";', []],
    ['nothing', 'throw undefined;', []],
    ['a late error', 'setTimeout(() => { throw new Error("late"); }, 5);', []],
    ['an exit code of its own', 'process.on("exit", () => { process.exitCode = 42; });\nthrow new Error("x");', []],
    [
      'a listener that fails',
      'process.on("uncaughtException", () => { throw new Error("again"); });\nthrow new Error("x");',
      [],
    ],
    ['a rejection', 'setTimeout(() => { Promise.reject(new Error("rejected")); }, 5);', []],
    ['a rejection with a text', 'Promise.reject("text");\nsetTimeout(() => {}, 50);', []],
    ['a strict rejection', 'Promise.reject(new Error("x"));', ['--unhandled-rejections=strict']],
    ['a rejection with a warning', 'Promise.reject(new Error("x"));', ['--unhandled-rejections=warn']],
    ['a rejection that is ignored', 'Promise.reject(new Error("x"));', ['--unhandled-rejections=none']],
    [
      'a rejection with a warning and a code',
      'Promise.reject(new Error("x"));',
      ['--unhandled-rejections=warn-with-error-codes'],
    ],
  ],
  3,
))
  test.each(cases)(
    '%s: what Node.js prints and the exit code are those of the program alone',
    { tags },
    async (_, code, args) => {
      const { bare, hooked } = await compare(code, { args });
      expect(hooked.code).toBe(bare.code);
      expect(hooked.stdout).toBe(bare.stdout);
      expect(withoutReport(hooked.stderr)).toBe(bare.stderr);
      // A listener would change what this option does, and the process ends before an agent could start.
      if (!args.includes('--unhandled-rejections=warn-with-error-codes') && !code.includes('again'))
        expect(hooked.stderr).toContain('"mode":"investigate"');
    },
  );

/** The report of the scripted agent is one line. */
function withoutReport(stderr: string): string {
  return stderr.replaceAll(/^klendathu: .*\n/gmu, '');
}

test('an error that the program handles is investigated in the background', async () => {
  const { bare, hooked } = await compare(
    'process.on("uncaughtException", () => console.log("handled"));\nthrow new Error("x");',
  );
  expect(hooked).toMatchObject({ code: 0, stdout: bare.stdout });
  expect(hooked.stderr).toContain('"mode":"investigate"');
});

test('a rejection that the program handles is investigated in the background', async () => {
  const { bare, hooked } = await compare(
    'process.once("unhandledRejection", () => console.log("handled"));\nPromise.reject(new Error("x"));',
  );
  expect(hooked).toMatchObject({ code: bare.code, stdout: bare.stdout });
  expect(hooked.stderr).toContain('"mode":"investigate"');
});

for (const { cases, tags } of splitCases(
  [
    ['an agent that hangs', { steps: [{ hang: true, pidFile: join(folder, 'hang') }], install: { timeoutMs: 2500 } }],
    ['an agent that is killed', { steps: [{ kill: true }] }],
    ['no agent', { install: { cliPath: '/none' } }],
    ['a folder that cannot be written', { install: { recordsFolder: join(import.meta.filename, 'x') } }],
    ['an invalid option', { install: { mode: 'other' } }],
  ] satisfies [string, Options][],
  2,
))
  test.each(cases)('%s: one line says so, and the program ends as it would', { tags }, async (_, options) => {
    const { bare, hooked } = await compare('throw new Error("x");', options);
    expect(hooked.code).toBe(bare.code);
    expect(hooked.stderr.match(/^klendathu: /gmu)).toHaveLength(1);
    expect(withoutReport(hooked.stderr)).toBe(bare.stderr);
    if (!existsSync(join(folder, 'hang'))) return;
    const pids = JSON.parse(readFileSync(join(folder, 'hang'), 'utf8')) as number[];
    rmSync(join(folder, 'hang'));
    await vi.waitFor(() => expect(pids.filter((pid) => existsSync(`/proc/${pid}/exe`) && isRunning(pid))).toEqual([]), {
      timeout: 30_000,
    });
  });

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test(
  'in production the failure is recorded and counted, and the program ends at once',
  { tags: ['long'] },
  async () => {
    const { hooked, recordsFolder } = await compare('throw new Error("x");', {
      steps: [{ kill: true }],
      install: { mode: 'record' },
    });
    expect(hooked.code).toBe(1);
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'records', '--folder', recordsFolder]);
    expect(stdout).toMatch(/ 1 {2}\S+\.json {2}Error: x\n$/u);
    const [path] = /\S+\.json/u.exec(stdout)!;
    const env = {
      PATH: process.env['PATH']!,
      KLENDATHU_CLI: SCRIPTED_CLI,
      KLENDATHU_STEPS: JSON.stringify([{ call: 'frames', input: {} }]),
    };
    const { stdout: report } = await promisify(execFile)(process.execPath, [PROGRAM, 'investigate', path, '--json'], {
      env,
    });
    const { text: seen, stats } = JSON.parse(report) as Report;
    expect(JSON.parse(seen)).toMatchObject({ input: { error: { message: 'x' } } });
    expect(stats.turns).toBe(1);
  },
);

for (const { cases, tags } of splitCases(
  [
    [['investigate', '/none.json'], 2],
    [['other'], 2],
    [['--other'], 2],
    [['--help'], 0],
    [['--version'], 0],
    [['records', '--folder', '/none'], 0],
  ],
  1,
))
  test.each(cases)('klendathu %j: exit code %i', { tags }, async (args, code) => {
    expect((await run([PROGRAM, ...args], { PATH: process.env['PATH']! })).code).toBe(code);
  });

test('wrap: the same function, and the original error', async () => {
  const seen: Report[] = [];
  const options = { ...scripted(), dedupe: false, onReport: (report: Report) => void seen.push(report) };
  const error = new Error('wrapped');
  const receiver = {
    base: 1,
    add: wrap(function (this: { base: number }, more: number) {
      return this.base + more;
    }, options),
  };
  expect(receiver.add(2)).toBe(3);
  expect(wrap(() => Promise.resolve(4), options)()).toBeInstanceOf(Promise);
  await expect(wrap((_: string) => Promise.reject(error), options)('argument')).rejects.toBe(error);
  expect(toSeen(seen[0]!).input).toMatchObject({ context: [{ name: 'error' }, { name: 'arguments', type: 'Array' }] });
  expect(() =>
    wrap(() => {
      throw error;
    }, options)(),
  ).toThrow(error);
  await vi.waitFor(() => expect(seen).toHaveLength(2), { timeout: 30_000 });
});

test('wrap: a listener that fails, and an agent that fails, change nothing', async () => {
  const error = new Error('original');
  const fails = {
    ...scripted({ kill: true }),
    onFailure: () => {
      throw new Error('listener');
    },
  };
  await expect(wrap(() => Promise.reject(error), fails)()).rejects.toBe(error);
});

test('servers: the next handler gets the error at once, and the agent gets the request', async () => {
  const seen: Report[] = [];
  const options = { ...scripted(), dedupe: false, onReport: (report: Report) => void seen.push(report) };
  const error = new Error('request');
  const request = { method: 'GET', url: '/a' };
  const next = vi.fn<(error: unknown) => void>();
  expect(expressErrorHandler(options)).toHaveLength(4);
  expressErrorHandler(options)(error, request, {}, next);
  expect(next).toHaveBeenCalledExactlyOnceWith(error);
  fastifyPlugin({ addHook: (_, hook) => hook(request, {}, error) }, options, () => {});
  const context = { req: request, text: (body: string, status: number) => new Response(body, { status }) };
  const response = await honoOnError(() => new Response('own', { status: 503 }), options)(error, context);
  expect(response.status).toBe(503);
  await vi.waitFor(() => expect(seen).toHaveLength(3), { timeout: 30_000 });
  for (const report of seen)
    expect(toSeen(report).input).toMatchObject({ context: [{ name: 'error' }, { name: 'request' }] });
});
