import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findUninstalled } from './uninstalled.ts';

function createProject(...files: readonly string[]): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-test-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const file of files) writeFileSync(join(root, file), '');
  return root;
}

test.each([
  ['package-lock.json', "Error: Cannot find module 'express'", 'npm ci'],
  ['pnpm-lock.yaml', "Cannot find package 'vite' imported from /w/vite.config.ts", 'pnpm install'],
  ['package.json', 'sh: 1: mocha: not found', undefined],
  ['requirements.txt', "ModuleNotFoundError: No module named 'flask'", 'pip install'],
  ['uv.lock', '/usr/bin/python3: No module named pytest', 'uv sync'],
  ['uv.lock', "ImportError: cannot import name 'notset' from '_pytest.monkeypatch'", 'uv sync'],
  ['go.mod', 'x.go:4:2: module lookup disabled by GOPROXY=off', 'go mod download'],
  ['Cargo.toml', 'attempting to make an HTTP request, but --offline was specified', 'cargo fetch'],
  ['pom.xml', '[ERROR] Cannot access central (https://repo1) in offline mode', 'mvn'],
  // The message of another language.
  ['Cargo.toml', "Error: Cannot find module 'express'", undefined],
  // A file of the project itself.
  ['package-lock.json', "Error: Cannot find module './src/cart.js'", undefined],
  ['package-lock.json', '1 test failed', undefined],
])('in a project with %s, %s is answered by %s', (file, output, command) => {
  const found = findUninstalled(createProject(file), output);
  if (command === undefined) return expect(found).toBeUndefined();
  expect(found?.command).toContain(command);
  return expect(found?.hint).toContain('klaus fetch');
});

test('a program of package.json that was not found is a dependency that is not installed', () => {
  expect(findUninstalled(createProject('package-lock.json'), '', 'mocha')?.command).toContain('npm ci');
});

test('with an environment of its own, a Python project has another problem than missing packages', () => {
  const root = createProject('uv.lock');
  mkdirSync(join(root, '.venv'));
  expect(findUninstalled(root, "ImportError: cannot import name 'notset' from 'app'")).toBeUndefined();
});
