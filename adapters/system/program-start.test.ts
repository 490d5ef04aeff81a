import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findObstacle, isMissing, toStart, type CommandEnd } from './program-start.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'klaus-start-'));
  for (const name of ['own', 'bin']) mkdirSync(join(root, name));
});
afterEach(() => rmSync(root, { recursive: true }));

function add(path: string, text: string, mode = 0o755): void {
  writeFileSync(join(root, path), text, { mode });
}

async function run([file = '', ...words]: readonly string[], PATH = `${root}/bin:/usr/bin:/bin`): Promise<CommandEnd> {
  const env = { PATH, HOME: root };
  const { status, signal, stderr, error } = spawnSync(file, words, { env, timeout: 2_000, encoding: 'utf8' });
  return { exitCode: status, signal, stderr, timedOut: error !== undefined };
}

const program = () => ({ name: 'tool-of-test', folders: [join(root, 'own')] });
const find = () => findObstacle(run, program());
const NEEDS = '#!/bin/sh\n';

test('a program of the project comes before one on the path', async () => {
  add('bin/tool-of-test', `${NEEDS}exit 1\n`);
  add('own/tool-of-test', `${NEEDS}exit 0\n`);
  expect(await find()).toBeUndefined();
});

test.each([
  ['no version for rustup', 'echo "error: rustup could not choose a version" >&2; exit 1', /^error: rustup could not/],
  ['no version for pyenv', 'echo "pyenv: tool: command not found" >&2; exit 127', /^pyenv: tool: command not found$/],
  ['no version for asdf', 'echo "No version is set for tool" >&2; exit 126', /^No version is set for tool$/],
  ['several lines', 'printf "one\\n\\n  two\\n" >&2; exit 1', /^one two$/],
  ['no message', 'exit 3', /^tool-of-test --version ended with exit code 3$/],
  ['a crash', 'kill -SEGV $$', /^tool-of-test --version was ended by SIGSEGV$/],
  ['a long message', 'yes word | head -n 500 >&2; exit 1', /^(?:word ){60}$/],
])('a program with %s cannot run', async (_, line, reason) => {
  add('bin/tool-of-test', `${NEEDS}${line}\n`);
  expect((await find())?.reason).toMatch(reason);
});

test('a program whose interpreter is missing cannot run', async () => {
  add('bin/tool-of-test', '#!/no/such/interpreter\n');
  expect((await find())?.reason).toMatch(/not found|no such file/i);
});

test('a missing program, or one that cannot be executed, is an obstacle without a reason', async () => {
  expect(await find()).toEqual({});
  add('bin/tool-of-test', `${NEEDS}exit 0\n`, 0o644);
  expect(await find()).toEqual({});
  expect(isMissing(await run(toStart(program(), [])))).toBe(true);
});

test('a program that only takes long, and a command that cannot be started, show no obstacle', async () => {
  add('bin/tool-of-test', `${NEEDS}exec sleep 60\n`);
  expect(await find()).toBeUndefined();
  const exec = (): Promise<CommandEnd> => Promise.reject(new Error('no sandbox'));
  expect(await findObstacle(exec, program())).toBeUndefined();
});

test('arguments arrive as they are', async () => {
  add('own/tool-of-test', `${NEEDS}[ "$#" = 3 ] && [ "$1" = "a b" ] && [ "$2" = "" ] && [ "$3" = '$x' ]\n`);
  expect(await run(toStart(program(), ['a b', '', '$x']))).toMatchObject({ exitCode: 0 });
});

const hasRustup = spawnSync('rustup', ['--version']).status === 0;

test.skipIf(!hasRustup)('the launcher of rustup without a toolchain cannot run', async () => {
  const exec = (command: readonly string[]) => run(command, process.env['PATH']);
  const obstacle = await findObstacle(exec, { name: 'rustfmt', folders: [] });
  expect(obstacle?.reason).toMatch(/^error: rustup could not choose a version of rustfmt/);
});
