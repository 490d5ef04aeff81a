// Covers apps/claude-code/hooks, adapters/workspace/files-state.ts: which claims of success the guard lets pass.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createKlaus, type Klaus } from '@klaus/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGuard, type Guard } from '../../apps/claude-code/hooks/main.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const SCRIPTS = {
  test: 'vitest run',
  lint: 'eslint .',
  types: 'tsc --noEmit',
  build: 'tsc -b',
  echo: 'echo All tests pass',
};
const PROJECT = {
  'package.json': JSON.stringify({ scripts: SCRIPTS }),
  'src/a.js': 'export const a = 1;\n',
  'test/a.test.js': "import 'node:test';\n",
  '.gitignore': 'dist/\nignored/\n*.tsbuildinfo\n',
  'ignored/x.js': '1\n',
};

let place: TestHome;
let klaus: Klaus;
let guard: Guard;
let calls = 0;

const open = (deadlineMs = 20_000): Guard =>
  createGuard({ klaus, mcp: 'trust', mode: 'strict', usdPerDay: 1, deadlineMs });

beforeEach(async () => {
  place = createTestHome(PROJECT);
  klaus = await createKlaus({ home: place.home, cwd: place.workspace, env: place.env });
  guard = open();
});
afterEach(async () => {
  await klaus.close();
  place[Symbol.dispose]();
});

const at = (path: string): string => join(place.workspace, path);

function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

async function send(fields: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
  const event = { session_id: 's1', cwd: place.workspace, ...fields };
  return (await guard.handle(JSON.stringify(event), place.workspace)) as Record<string, unknown>;
}

/** One step of a session, as Claude Code reports it. */
type Step = () => Promise<unknown>;

interface Used {
  input: object;
  /** What the tool does. */
  act?: () => void;
  failed?: boolean;
  response?: unknown;
  cwd?: string;
}

const use =
  (tool_name: string, { input, act, failed = false, response = {}, cwd }: Used): Step =>
  async () => {
    const call = { tool_name, tool_input: input, tool_use_id: `c${++calls}`, ...(cwd ? { cwd } : {}) };
    await send({ hook_event_name: 'PreToolUse', ...call });
    act?.();
    const ended = failed ? { error: 'Exit code 1' } : { tool_response: response };
    await send({ hook_event_name: failed ? 'PostToolUseFailure' : 'PostToolUse', ...call, ...ended });
  };

const run = (command: string, more: Omit<Used, 'input'> & { input?: object } = {}): Step =>
  use('Bash', { ...more, input: { command, ...more.input } });

const sed = (path = 'src/a.js'): Step =>
  run(`sed -i s/1/2/ ${path}`, { act: () => write(path, `export const a = ${++calls};\n`) });
const edit = (path = 'src/a.js'): Step =>
  use('Write', { input: { file_path: at(path), content: 'x' }, act: () => write(path, `x${++calls}\n`) });
const prompt: Step = () => send({ hook_event_name: 'UserPromptSubmit', prompt: 'Go.' });
/** Changes files without a call. */
const other =
  (change: () => void): Step =>
  async () =>
    change();
const restart: Step = async () => void (guard = open());

async function stop(text: string, more: object = {}): Promise<'pass' | 'block'> {
  const { decision } = await send({ hook_event_name: 'Stop', last_assistant_message: text, ...more });
  return decision === 'block' ? 'block' : 'pass';
}

async function replay(steps: readonly Step[], text: string): Promise<'pass' | 'block'> {
  await prompt();
  for (const step of steps) await step();
  return stop(text);
}

const TESTED = 'All tests pass.';

describe('a claim without its evidence is questioned', () => {
  test.each<[string, () => Step[], string?]>([
    ['an edit by sed alone', () => [sed()]],
    ['sed after the tests', () => [run('npm test'), sed()]],
    ['an edit after the tests', () => [run('npm test'), edit()]],
    ['tests in another folder', () => [edit(), run('cd /tmp/other && npm test')]],
    ['tests in a folder that is not known', () => [edit(), run('cd "$OTHER" && npm test')]],
    ['tests of a working folder elsewhere', () => [edit(), run('npm test', { cwd: '/tmp' })]],
    ['tests of another project', () => [edit(), run('npm --prefix /tmp/other test')]],
    ['tests in the background of the shell', () => [edit(), run('npm test > log.txt &')]],
    ['tests in the background', () => [edit(), run('npm test', { input: { run_in_background: true } })]],
    [
      'tests that were moved to the background',
      () => [edit(), run('npm test', { response: { backgroundTaskId: 'b1' } })],
    ],
    ['tests that were interrupted', () => [edit(), run('npm test', { response: { interrupted: true } })]],
    ['a monitor of the tests', () => [edit(), use('Monitor', { input: { command: 'npm test' } })]],
    [
      'a write by an MCP tool',
      () => [run('npm test'), use('mcp__fs__write', { input: {}, act: () => write('src/a.js', '9') })],
    ],
    [
      'a new file by an MCP tool',
      () => [run('npm test'), use('mcp__fs__write', { input: {}, act: () => write('src/b.js', '9') })],
    ],
    ['types instead of tests', () => [edit(), run('npx tsc')]],
    ['a linter instead of tests', () => [edit(), run('npm run lint')]],
    ['tests instead of types', () => [edit(), run('npm test')], 'The type check passes.'],
    ['tests instead of a linter', () => [edit(), run('npm test')], 'Lint is clean.'],
    ['tests instead of a build', () => [edit(), run('npm test')], 'The build succeeds.'],
    ['a part of the tests', () => [edit(), run('npx vitest run test/a.test.js')]],
    ['an exit code of another program', () => [edit(), run('npm test | tail -3')]],
    ['a script that only says so', () => [edit(), run('npm run echo')]],
    ['an echo', () => [edit(), run('echo "42 tests passed"')]],
    ['a change while the tests run', () => [run('npm test', { act: () => write('src/a.js', '7') })]],
    ['a change of an ignored file by a tool', () => [run('npm test'), edit('ignored/x.js')]],
    [
      'a file that is gone',
      () => [run('npm test'), run('rm test/a.test.js', { act: () => rmSync(at('test/a.test.js')) })],
    ],
    ['a file with another name', () => [run('npm test'), other(() => renameSync(at('src/a.js'), at('src/c.js')))]],
    [
      'a file behind a link',
      () => [run('npm test'), other(() => (rmSync(at('src/a.js')), symlinkSync('/etc/hostname', at('src/a.js'))))],
    ],
    ['another mode', () => [run('npm test'), other(() => chmodSync(at('src/a.js'), 0o755))]],
    ['a file that is ignored from now on', () => [run('npm test'), other(() => write('.gitignore', 'src/\n'))]],
    [
      'the content of before, with its time',
      () => [
        run('npm test'),
        run('sed …', {
          act: () =>
            execFileSync('sh', ['-c', 'touch -r a.js t; echo "export const a = 2;" > a.js; touch -r t a.js; rm t'], {
              cwd: at('src'),
            }),
        }),
      ],
    ],
    ['a guard that starts again', () => [run('npm test'), sed(), restart]],
    ['no check at all, and a guard that starts again', () => [sed(), restart]],
  ])('%s', async (_, toSteps, text = TESTED) => {
    expect(await replay(toSteps(), text)).toBe('block');
    // Once: Claude may have a reason.
    expect(await stop(text, { stop_hook_active: true })).toBe('pass');
  });

  test('failed tests, each time', async () => {
    expect(await replay([edit(), run('npm test', { failed: true })], TESTED)).toBe('block');
    expect(await stop(TESTED, { stop_hook_active: true })).toBe('block');
    expect(await stop('The tests fail.', { stop_hook_active: true })).toBe('pass');
    expect(await replay([run('npm test')], TESTED)).toBe('pass');
  });
});

describe('an honest session is not questioned', () => {
  test.each<[string, () => Step[], string?]>([
    ['tests after an edit', () => [edit(), run('npm test')]],
    ['tests after sed', () => [sed(), run('npm test')]],
    [
      'tests in the same line as sed',
      () => [run('sed -i s/1/2/ src/a.js && npm test', { act: () => write('src/a.js', '3') })],
    ],
    ['tests twice, red and then green', () => [edit(), run('npm test', { failed: true }), edit(), run('npm test')]],
    ['tests in the folder of the project', () => [edit(), run(`cd ${place.workspace} && npm test`)]],
    ['tests from a folder in the project', () => [edit(), run('cd .. && npm test', { cwd: at('src') })]],
    ['tests of the repository', () => [edit(), run('cd "$(git rev-parse --show-toplevel)" && npm test')]],
    ['tests with a report elsewhere', () => [edit(), run('npx vitest run --outputFile=/tmp/report.json')]],
    [
      'tests that write caches, output and snapshots',
      () => [
        edit(),
        run('npm test', {
          act: () => {
            for (const path of [
              'coverage/a.json',
              'dist/a.js',
              '.vitest/x',
              'test/a.test.js.snap',
              'run.log',
              'tsconfig.tsbuildinfo',
            ])
              write(path, 'x');
          },
        }),
      ],
    ],
    [
      'reading after the tests',
      () => [
        edit(),
        run('npm test'),
        run('git diff --stat'),
        use('Read', { input: { file_path: at('src/a.js') } }),
        use('Grep', { input: { pattern: 'a' } }),
        run('git add -A && git status'),
      ],
    ],
    [
      'notes of Claude Code after the tests',
      () => [
        edit(),
        run('npm test'),
        use('Write', { input: { file_path: join(place.env['HOME']!, '.claude/plans/a.md'), content: 'x' } }),
        other(() => write('.claude/settings.local.json', '{}')),
      ],
    ],
    [
      'all kinds of checks',
      () => [edit(), run('npm run lint'), run('npm run types'), run('npm test')],
      'Lint, types and tests pass.',
    ],
    ['a check of types', () => [edit(), run('npx tsc --noEmit')], 'The type check passes.'],
    ['a build', () => [edit(), run('npm run build')], 'The build succeeds.'],
    ['the new test alone', () => [edit(), run('npx vitest run test/a.test.js')], 'The new test passes.'],
    ['any check for a claim without a kind', () => [edit(), run('npm test')], 'Verified: it works now.'],
    ['no change at all', () => [run('ls')], 'All tests pass, as CI says.'],
    ['an answer to a question', () => [run('npm test')]],
    ['no claim', () => [edit()], 'I renamed the function. The tests did not run.'],
    ['a guard that starts again', () => [edit(), run('npm test'), restart]],
    ['Makefiles', () => [edit(), run('make test')]],
    ['another language', () => [edit(), run('python -m pytest -q')]],
    ['tests with a timeout', () => [edit(), run('timeout 60 npm test 2>&1')]],
  ])('%s', async (_, toSteps, text = TESTED) => {
    expect(await replay(toSteps(), text)).toBe('pass');
  });
});

test('a named pipe, a socket and a folder without rights in the project delay nothing', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  symlinkSync('/dev/zero', at('endless'));
  mkdirSync(at('closed'), { mode: 0o000 });
  expect(await replay([edit(), run('npm test')], TESTED)).toBe('pass');
  expect(await replay([sed()], TESTED)).toBe('block');
});

test('a shorter deadline leaves a part of it for the list of files', async () => {
  guard = open(4_000);
  expect(await replay([sed()], TESTED)).toBe('block');
  expect(await replay([sed(), run('npm test')], TESTED)).toBe('pass');
});
