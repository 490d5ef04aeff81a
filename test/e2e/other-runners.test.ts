// Covers adapters/tools/test: run_tests in other languages.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import { callTool, createToolContext, type TestContext } from '../fixtures/tool-context.ts';

let place: TestHome;
let context: TestContext;

beforeEach(async () => {
  place = createTestHome();
  const env = { ...place.env, RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup') };
  context = createToolContext({
    workspace: await createWorkspace(place.workspace),
    sandbox: await createSandbox({ workspace: place.workspace, home: place.home, env, choice: 'bubblewrap' }),
    timeoutMs: 240_000,
  });
});
afterEach(() => place[Symbol.dispose]());

const put = (files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.workspace, path)), { recursive: true });
    writeFileSync(join(place.workspace, path), text);
  }
};
const runTests = (input: unknown = {}) => callTool(builtinTools, 'run_tests', { input, context });
const choose = async (input: unknown = {}): Promise<string | undefined> =>
  (await builtinTools.find(({ name }) => name === 'run_tests')!.prepare!(input, context)).command;
const has = (...words: string[]): boolean => spawnSync(words[0]!, words.slice(1)).status === 0;

const GO = {
  'go.mod': 'module example.org/app\n\ngo 1.20\n',
  'sum_test.go':
    'package app\n\nimport "testing"\n\nfunc TestAdds(t *testing.T) {}\n\nfunc TestSubtracts(t *testing.T) { t.Fatal("got 3") }\n',
};
const RUST = {
  'Cargo.toml': '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
  'src/lib.rs': '#[test]\nfn adds() {}\n\n#[test]\nfn subtracts() { panic!("got 3"); }\n',
};
const CMAKE = {
  'CMakeLists.txt':
    'cmake_minimum_required(VERSION 3.16)\nproject(app C)\nenable_testing()\nadd_executable(app main.c)\nadd_test(NAME adds COMMAND app)\nadd_test(NAME subtracts COMMAND app fail)\n',
  'main.c': 'int main(int argc, char **argv) { return argc - 1; }\n',
};

describe.each([
  ['Go', has('go', 'version'), GO, 'TestSubtracts', 'TestAdds'],
  ['Rust', has('cargo', '--version') && has('cc', '--version'), RUST, 'subtracts', 'adds'],
  ['CTest', has('ctest', '--version') && has('cc', '--version'), CMAKE, 'subtracts', 'adds'],
] as const)('%s', (_name, isHere, files, failing, passing) => {
  test.skipIf(!isHere)('counts, names what failed, and runs tests by name', { timeout: 300_000 }, async () => {
    put(files);
    const red = await runTests();
    expect(red).toMatchObject({ isError: true, detail: { passed: 1, failed: 1 } });
    expect(red.text).toContain(failing);
    const green = await runTests({ pattern: passing });
    expect(green).toMatchObject({ isError: false, detail: { passed: 1, failed: 0 } });
    expect(green.evidence).toBeDefined();
  });
});

test.skipIf(!has('make', '--version'))('make: the target that is there', async () => {
  put({ Makefile: 'check:\n\t@echo checked\n' });
  const run = await runTests();
  expect(run).toMatchObject({ isError: false, text: expect.stringContaining('checked') });
  await expect(runTests({ pattern: 'x' })).rejects.toMatchObject({ code: 'tool.failed' });
});

test.each<[Readonly<Record<string, string>>, object, string]>([
  [{ 'pom.xml': '' }, {}, 'mvn -B test'],
  [{ 'pom.xml': '', mvnw: '' }, {}, './mvnw -B test'],
  [{ 'build.gradle.kts': '', gradlew: '' }, { pattern: 'Sum' }, "./gradlew test --console=plain --tests '*Sum*'"],
  [{ 'deno.json': '{}' }, { path: 'sum_test.ts', runner: 'deno' }, 'deno test sum_test.ts'],
  [{ 'bun.lock': '' }, {}, 'bun test'],
  [{ '.rspec': '', Gemfile: '' }, {}, 'bundle exec rspec'],
  [{ 'phpunit.xml.dist': '' }, {}, 'phpunit'],
  [{ 'App.sln': '' }, {}, 'dotnet test'],
  [{ 'go.mod': '' }, { path: 'pkg/sum/sum_test.go' }, 'go test -v ./pkg/sum'],
  [{ 'Cargo.toml': '' }, { path: 'tests/sum.rs' }, 'cargo test --test sum'],
  [{ 'package.json': '{"devDependencies":{"mocha":"11"}}' }, { pattern: 'adds' }, 'mocha -g adds'],
  [{ 'go.mod': '', Makefile: 'test:\n\ttrue\n' }, { runner: 'make' }, 'make test'],
])('%j with %j: %s', async (files, input, command) => {
  put({ ...files, ...('path' in input ? { [input.path as string]: '' } : {}) });
  expect(await choose(input)).toBe(command);
});

test('a root without tests says so', async () => {
  put({ Makefile: 'all:\n\ttrue\n', 'CMakeLists.txt': 'project(app C)\n' });
  await expect(runTests()).rejects.toMatchObject({
    code: 'tool.failed',
    message: expect.stringContaining('run_command'),
  });
});
