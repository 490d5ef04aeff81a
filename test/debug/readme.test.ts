// Covers apps/debug/README.md, apps/debug, apps/debug-cli: the packages together, from the example to every failure of a model.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Script } from '@klaus/sdk';
import { expect, test, vi } from 'vitest';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const root = join(import.meta.dirname, '../..');
const [example] = /(?<=```js\n)[\s\S]*?(?=```)/u.exec(readFileSync(join(root, 'apps/debug/README.md'), 'utf8'))!;

const REPORT = {
  text: 'The second item has no price.',
  rootCause: { file: 'main.mjs', line: 5, explanation: 'price is undefined', confidence: 0.9 },
  evidence: [{ source: 'order.items[1]', finding: '{}' }],
};

const STORY: Script = {
  steps: [
    { reply: { calls: [{ name: 'eval', input: { code: 'order.items[1]' } }] } },
    { when: { after: 'eval' }, reply: { calls: [{ name: 'report', input: REPORT }] } },
  ],
};

/** Runs a program in a project that has the packages installed. */
async function run(code: string, script: Script | undefined, env: Record<string, string> = {}) {
  using place = createTestHome({ 'main.mjs': code });
  install(place);
  await using server = await startServer(script ?? { steps: [] });
  const child = spawn(process.execPath, ['main.mjs'], {
    cwd: place.workspace,
    env: { ...toEnv(script === undefined ? { place } : { place, server }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code: exitCode as number };
}

function install({ workspace }: TestHome) {
  mkdirSync(join(workspace, 'node_modules'));
  for (const [name, folder] of [
    ['klendathu', 'debug'],
    ['klendathu-cli', 'debug-cli'],
    ['zod', '../node_modules/zod'],
  ] as const) {
    symlinkSync(join(root, 'apps', folder), join(workspace, 'node_modules', name));
  }
}

test('the first example is shorter than ten lines, and prints the report', async () => {
  expect(example.trim().split('\n').length).toBeLessThan(10);
  const { code, stdout, stderr } = await run(example, STORY);
  expect(stderr).toBe('');
  expect(stdout).toBe(`${REPORT.text}\n`);
  expect(code).toBe(0);
});

const FAIL = `
  import { investigate } from 'klendathu';
  const order = { items: [{ price: 5 }, {}] };
  try {
    order.items[1].price.toFixed();
  } catch (error) {
    const run = investigate({ error, order }, { mode: process.env.MODE });
    const types = Array.fromAsync(run.stderr, ({ type }) => type);
    const events = Array.fromAsync(run.events, ({ type }) => type);
    const report = await run.catch(({ code, message, cause }) => ({ code, message, isCause: cause === error }));
    console.log(JSON.stringify({ report, types: await types, events: await events, summary: await run.summary }));
  }
`;

for (const { cases, tags } of splitCases(['live', 'frozen'], 1))
  test.each(cases)('%s: report, messages and events of the session', { tags }, async (mode) => {
    const { stdout, stderr } = await run(FAIL, STORY, { MODE: mode });
    expect(stderr).toBe('');
    const { report, types, events, summary } = JSON.parse(stdout) as Record<string, never>;
    expect(report).toMatchObject({ ...REPORT, stats: { finishReason: 'completed', turns: 2 } });
    expect(types).toEqual(expect.arrayContaining(['server_started', 'tool_call', 'tool_result', 'turn', 'summary']));
    expect(events).toEqual(expect.arrayContaining(['session.opened', 'gate.decided', 'tool.started']));
    expect(summary).toMatchObject({ turns: 2, toolCallsCount: 2 });
  });

for (const { cases, tags } of splitCases(['live', 'frozen'], 1))
  test.each(cases)(
    '%s: without a key, the failure names the variable, and the error is kept',
    { tags },
    async (mode) => {
      const { stdout } = await run(FAIL, undefined, { MODE: mode });
      const { report } = JSON.parse(stdout) as { report: unknown };
      expect(report).toMatchObject({
        code: 'auth',
        message: expect.stringContaining('ANTHROPIC_API_KEY') as string,
        isCause: true,
      });
    },
  );

test('implement: the value of the agent', { tags: ['long'] }, async () => {
  const { stdout } = await run(
    `import { implement } from 'klendathu';
     import { z } from 'zod';
     const list = () => implement('Sum up.', { items: [1, 2] }, z.object({ total: z.number() }));
     console.log(JSON.stringify([await list(), await list()]));`,
    { steps: [{ reply: { calls: [{ name: 'set_result', input: { result: { total: 3 } } }] } }] },
  );
  expect(JSON.parse(stdout)).toEqual([{ total: 3 }, { total: 3 }]);
});

test('a process that exits during an investigation leaves no agent', { tags: ['long'] }, async () => {
  const mark = `mark-${process.pid}-${Date.now()}`;
  const { code, stdout } = await run(
    `import { investigate } from 'klendathu';
     import { spawnSync } from 'node:child_process';
     const run = investigate(new Error('x'), { env: { KLENDATHU_MARK: process.env.MARK } });
     for await (const message of run.stderr) if (message.type === 'server_started') break;
     console.log(spawnSync('grep', ['-lsa', process.env.MARK, ...(await import('node:fs')).globSync('/proc/[0-9]*/environ')]).stdout.toString());
     process.exit(3);`,
    { steps: [] },
    { MARK: mark },
  );
  expect(code).toBe(3);
  // The program itself, and its agent.
  expect(stdout.trim().split('\n').length).toBeGreaterThanOrEqual(2);
  await vi.waitFor(() => expect(findByMark(mark)).toEqual([]), { timeout: 30_000 });
});

/** Processes with a text in their environment. */
function findByMark(mark: string): string[] {
  return globSync('/proc/[0-9]*/environ').filter((path) => {
    try {
      return readFileSync(path, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });
}
