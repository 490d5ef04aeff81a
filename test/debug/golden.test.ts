// Covers apps/debug-cli/session, core/protocol/events: the same story gives the same canonical log from programs in different languages.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { runGolden, type GoldenHost } from './golden.fixture.ts';

const ROOT = join(import.meta.dirname, '../..');
const SHARED = { 'prices.json': '{ "pen": 2 }\n', 'AGENTS.md': 'Prices are in euros.\n' };

const REPORT = {
  text: 'The ink has no price.',
  rootCause: { file: 'prices.json', line: 1, explanation: 'ink is missing', confidence: 0.9 },
  evidence: [{ source: '6 * 7', finding: '42' }],
};

/** Parallel calls, a file, a denial, an unknown tool, a mistake of the model, and the report. Every language has `6 * 7`. */
const STORY: Script = {
  steps: [
    {
      reply: {
        text: 'I look.',
        calls: [
          { name: 'eval', input: { code: '6 * 7' } },
          { name: 'read_file', input: { path: 'prices.json' } },
          { name: 'search_files', input: { pattern: 'euros' } },
        ],
      },
    },
    {
      when: { turn: 1 },
      reply: {
        calls: [
          { name: 'read_file', input: { path: '/etc/passwd' } },
          { name: 'run_command', input: { command: 'true' } },
          { name: 'report', input: { evidence: 'none' } },
        ],
      },
    },
    { when: { turn: 2 }, reply: { calls: [{ name: 'report', input: REPORT }] } },
  ],
};

/** The program of the guide. */
const PERL: GoldenHost = {
  files: {
    ...SHARED,
    'pay.pl': /```perl\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/guides/klendathu-wire.md'), 'utf8'))![1]!,
  },
  command: ['perl', 'pay.pl'],
};

/** The same in JavaScript without a library: what the CLI gets is all that counts. */
const SCRIPT: GoldenHost = {
  files: {
    ...SHARED,
    'pay.ts': `
import { spawn } from 'node:child_process';
import { startTestHost } from '${join(import.meta.dirname, 'host.fixture.ts')}';
const host = await startTestHost({ context: { order: {} } });
const child = spawn(process.env['KLENDATHU_CLI']!, [], { stdio: ['pipe', 'inherit', 'inherit'] });
child.stdin.end(JSON.stringify({
  mode: 'investigate', mcpUrl: host.url, pid: process.pid, timestamp: new Date().toISOString(), language: 'javascript',
  error: { name: 'die', message: 'no price' }, callStack: [{ filePath: 'pay.ts', line: 5 }], context: [],
}));
child.on('close', () => process.exit());
`,
  },
  command: [process.execPath, 'pay.ts'],
};

test.skipIf(!existsSync('/usr/bin/perl'))('a program in Perl and one in JavaScript give the same log', async () => {
  const [first, second] = await Promise.all([runGolden(SCRIPT, STORY), runGolden(PERL, STORY)]);
  expect(first.map((event) => (event as { type: string }).type)).toContain('gate.decided');
  expect(first.at(-1)).toMatchObject({ type: 'run.finished', outcome: 'done', by: 'klendathu' });
  expect(withoutError(second)).toEqual(withoutError(first));
});

const MODEL = 'anthropic/claude-sonnet-5-5';
const LIBRARY = join(ROOT, 'apps/debug/investigate');
const PACKAGE = join(ROOT, 'python/klendathu/src');

/** Code that means the same in JavaScript and in Python. */
const SHARED_STORY = JSON.parse(JSON.stringify(STORY).replace('"6 * 7"', JSON.stringify('order["id"] + 1'))) as Script;

const NODE: GoldenHost = {
  files: {
    ...SHARED,
    'pay.mts': `
import { investigate } from '${join(ROOT, 'apps/debug/index.ts')}';
class PaymentError extends Error {
  override name = 'PaymentError';
}
const order = { id: 41 };
try {
  throw new PaymentError('no price');
} catch (error) {
  console.log(String(await investigate({ error, order }, { model: '${MODEL}' })));
}
`,
  },
  command: [process.execPath, 'pay.mts'],
};

const PYTHON: GoldenHost = {
  files: {
    ...SHARED,
    'pay.py': `
from klendathu import investigate


class PaymentError(Exception):
    pass


order = {"id": 41}
try:
    raise PaymentError("no price")
except PaymentError as error:
    print(investigate({"error": error, "order": order}, model="${MODEL}").result())
`,
  },
  command: ['python3', 'pay.py'],
  env: { PYTHONPATH: PACKAGE, PYTHONDONTWRITEBYTECODE: '1' },
};

test.skipIf(!existsSync(LIBRARY) || !existsSync(PACKAGE))(
  'the packages for Node.js and Python give the same log',
  async () => {
    const [node, python] = await Promise.all([runGolden(NODE, SHARED_STORY), runGolden(PYTHON, SHARED_STORY)]);
    expect(JSON.stringify(node)).toContain('"output":"{\\"console\\":[],\\"result\\":\\"42\\"}"');
    expect(python).toEqual(node);
  },
);

/** The message of an error in Perl has its place. */
function withoutError(events: unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(events).replaceAll(/die: no price[^"]*/g, 'die: no price')) as unknown[];
}
