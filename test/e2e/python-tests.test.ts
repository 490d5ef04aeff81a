// Covers adapters/tools/test: run_tests with pytest and unittest.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import { callTool, createToolContext, type TestContext } from '../fixtures/tool-context.ts';

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;
if (!hasPytest) console.warn('skipped here: tests that run pytest');
const withPytest = hasPytest ? test : test.skip;

let place: TestHome;
let context: TestContext;

beforeEach(async () => {
  place = createTestHome({ 'README.md': '# Test\n' });
  context = createToolContext({
    workspace: await createWorkspace(place.workspace),
    sandbox: await createSandbox({ workspace: place.workspace, home: place.home, env: place.env }),
  });
});
afterEach(() => place[Symbol.dispose]());

const runTests = (input: unknown = {}) => callTool(builtinTools, 'run_tests', { input, context });
const put = (path: string, content: string) => {
  mkdirSync(dirname(join(place.workspace, path)), { recursive: true });
  writeFileSync(join(place.workspace, path), content);
};
const choose = async (input: unknown = {}) => {
  const tool = builtinTools.find(({ name }) => name === 'run_tests')!;
  return (await tool.prepare!(input, context)).command;
};

const PYTEST = `import pytest

def test_adds():
    assert 1 + 1 == 2

def test_subtracts():
    assert 1 - 1 == 5

@pytest.mark.skip(reason="later")
def test_later():
    pass
`;

const UNITTEST = `import unittest

class Sum(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(1 + 1, 2)

    def test_subtracts(self):
        self.assertEqual(1 - 1, 5)

    @unittest.skip("later")
    def test_later(self):
        pass
`;

describe('pytest', () => {
  withPytest('counts, names what failed, and is evidence', async () => {
    put('pyproject.toml', '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n');
    put('tests/test_sum.py', PYTEST);
    const red = await runTests();
    expect(red).toMatchObject({
      isError: true,
      detail: { passed: 1, failed: 1, skipped: 1 },
      evidence: { command: 'python3 -m pytest -q -rfE --color=no', exitCode: 1 },
    });
    expect(red.text).toContain('FAILED tests/test_sum.py::test_subtracts\n  assert (1 - 1) == 5\n');
    // Another size: Python detects a changed file by its size and its time in seconds.
    put('tests/test_sum.py', PYTEST.replace('== 5', '== 0  # fixed'));
    expect(await runTests()).toMatchObject({ isError: false, detail: { passed: 2, failed: 0, failures: [] } });
  });

  withPytest('one file, tests by name, a file that does not load, and no test at all', async () => {
    put('tests/test_sum.py', PYTEST);
    expect(await runTests({ path: 'tests/test_sum.py', pattern: 'adds or later' })).toMatchObject({
      isError: false,
      detail: { passed: 1, failed: 0, skipped: 1 },
    });
    const none = await runTests({ path: 'tests', pattern: 'nothing_is_called_so' });
    expect(none).toMatchObject({ isError: true, detail: { passed: 0, failed: 0, failures: [] } });
    put('tests/test_broken.py', 'import no_such_module\n');
    const broken = await runTests();
    expect(broken).toMatchObject({ isError: true, detail: { failed: 1 } });
    expect(broken.text).toContain(
      "FAILED tests/test_broken.py\n  ModuleNotFoundError: No module named 'no_such_module'\n",
    );
  });
});

describe('unittest', () => {
  test('counts and names what failed', async () => {
    put('tests/__init__.py', '');
    put('tests/test_sum.py', UNITTEST);
    const red = await runTests();
    expect(red).toMatchObject({
      isError: true,
      detail: { passed: 1, failed: 1, skipped: 1 },
      evidence: { command: 'python3 -m unittest discover -v', exitCode: 1 },
    });
    expect(red.text).toContain('FAILED tests.test_sum.Sum.test_subtracts\n  AssertionError: 0 != 5\n');
    const green = await runTests({ path: 'tests/test_sum.py', pattern: 'adds' });
    expect(green).toMatchObject({ isError: false, detail: { passed: 1, failed: 0 } });
  });
});

describe('which runner', () => {
  test('is found by what the project has', async () => {
    put('requirements.txt', 'pytest==8.0\n');
    expect(await choose()).toBe('python3 -m pytest -q -rfE --color=no');
    put('package.json', '{"devDependencies":{"vitest":"5"}}');
    expect(await choose()).toBe('vitest run');
    put('test_a.py', '');
    expect(await choose({ path: 'test_a.py', pattern: "it's" })).toBe(
      "python3 -m pytest -q -rfE --color=no -k 'it'\\''s' test_a.py",
    );
    expect(await choose({ runner: 'pytest' })).toContain('-m pytest');
    expect(await choose({ runner: 'unittest' })).toBe('python3 -m unittest discover -v');
    expect(await choose({ runner: 'node' })).toBe('node --test');
    put('package.json', '{"scripts":{"test":"node --test"}}');
    expect(await choose()).toBe('npm test');
    expect(await choose({ runner: 'jest' })).toBe('jest');
    put('package.json', '{}');
    expect(await choose()).toContain('-m pytest');
    await expect(choose({ runner: 'npm' })).rejects.toMatchObject({
      code: 'tool.failed',
      message: expect.stringContaining('package.json'),
    });
    rmSync(join(place.workspace, 'requirements.txt'));
    rmSync(join(place.workspace, 'test_a.py'));
    expect(await choose()).toBe('node --test');
  });

  test('one that the environment of the project lacks is not looked for on the PATH', async () => {
    put('pyproject.toml', '[tool.pytest.ini_options]\n');
    put('.venv/pyvenv.cfg', 'home = /usr/bin\n');
    put('.venv/bin/python', '#!/bin/sh\necho "$0: No module named pytest" >&2\nexit 1\n');
    chmodSync(join(place.workspace, '.venv/bin/python'), 0o755);
    const result = await runTests();
    expect(result).toMatchObject({
      isError: true,
      detail: {
        missing: 'pytest',
        of: '.venv/bin/python',
        bring: '.venv/bin/python -m pip install pytest',
      },
    });
    expect(result.text).not.toContain('PATH');
  });

  test('one that is not installed says what brings it', { tags: ['long'] }, async () => {
    put('package.json', '{"devDependencies":{"vitest":"5"}}');
    expect(await runTests()).toMatchObject({
      isError: true,
      text: expect.stringContaining('npm install --save-dev vitest'),
    });
    put('.venv/pyvenv.cfg', '');
    put('.venv/bin/python', '#!/bin/sh\necho "/usr/bin/python: No module named pytest" >&2\nexit 1\n');
    spawnSync('chmod', ['+x', join(place.workspace, '.venv/bin/python')]);
    put('conftest.py', '');
    expect(await runTests({ runner: 'pytest' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('pip install pytest'),
    });
  });
});
