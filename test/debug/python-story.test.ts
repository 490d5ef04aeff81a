// Covers python/klendathu, apps/debug-cli: investigations and implementations of Python programs by the CLI.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { installDebugCli } from './debug-cli.fixture.ts';
import { PYTHON_PACKAGE, runProgram } from './python.fixture.ts';

const ENV = { PYTHONPATH: join(PYTHON_PACKAGE, 'src'), PYTHONDONTWRITEBYTECODE: '1' };
const isNew = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0;

const REPORT = {
  text: 'The ink has no price.',
  rootCause: { file: 'pay.py', line: 5, explanation: 'ink is missing', confidence: 0.9 },
  evidence: [{ source: 'order', finding: "{'ink': 1}" }],
};

const PROGRAM = `
import json
import klendathu

def pay(order):
    return order["price"]

try:
    pay({"ink": 1})
except KeyError as error:
    run = klendathu.investigate(error)
    report = run.result()
    print(json.dumps([report.to_data(), run.summary.result(), [m["type"] for m in run.stderr], len(list(run.events)) > 3]))
`;

/** Runs a program with the CLI of the repository and a scripted model. */
async function run(program: string, script: Script | undefined) {
  using place = createTestHome({ 'pay.py': program });
  await using server = script === undefined ? undefined : await startServer(script);
  const env = { ...toEnv({ place, server }), ...ENV, KLENDATHU_CLI: installDebugCli(place) };
  const { status, output } = await runProgram(['python3', 'pay.py'], { cwd: place.workspace, env });
  return { status, output, requests: JSON.stringify(server?.requests.map(({ json }) => json) ?? []) };
}

test.skipIf(!isNew)('investigates an error', async () => {
  const { status, output, requests } = await run(PROGRAM, {
    steps: [
      {
        reply: {
          calls: [
            { name: 'frames', input: {} },
            { name: 'locals', input: { frame: 0 } },
            { name: 'eval', input: { code: 'list(order)', frame: 0 } },
          ],
        },
      },
      { when: { turn: 1 }, reply: { calls: [{ name: 'report', input: REPORT }] } },
    ],
  });
  expect(status, output).toBe(0);
  const [report, summary, types, hasEvents] = JSON.parse(output) as [unknown, unknown, string[], boolean];
  expect(report).toMatchObject(REPORT);
  expect(summary).toMatchObject({ toolCallsCount: 4, finishReason: 'completed' });
  expect(types).toContain('tool_result');
  expect(hasEvents).toBe(true);
  expect(requests).toContain("['ink']");
});

test.skipIf(!isNew)('gets a value of a type', async () => {
  const program = `
import dataclasses
import klendathu

@dataclasses.dataclass
class Point:
    x: int

print(klendathu.implement("Find x.", {"answer": 42}, Point).result())
`;
  const { status, output } = await run(program, {
    steps: [
      { reply: { calls: [{ name: 'set_result', input: { result: { x: 'many' } } }] } },
      { when: { turn: 1 }, reply: { calls: [{ name: 'set_result', input: { result: { x: 42 } } }] } },
      { when: { turn: 2 }, reply: { text: 'Done.' } },
    ],
  });
  expect([status, output.trim()]).toEqual([0, 'Point(x=42)']);
});

test.skipIf(!isNew)('names the variable of a missing key, and keeps the error', async () => {
  const { status, output } = await run(PROGRAM, undefined);
  expect(status).toBe(1);
  expect(output).toContain('ANTHROPIC_API_KEY');
  expect(output).toContain("KeyError: 'price'");
});
