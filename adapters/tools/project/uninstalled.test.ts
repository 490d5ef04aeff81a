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

function createPackage(pkg: unknown, ...folders: readonly string[]): string {
  const root = createProject();
  writeFileSync(join(root, 'package.json'), JSON.stringify(pkg));
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  return root;
}

const MISSING = "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'express' imported from /w/a.js";

test.each([
  [{ dependencies: { express: '4' } }, [], true],
  [{ dependencies: { express: '4' } }, ['node_modules'], true],
  [{ peerDependencies: { express: '4' } }, ['node_modules'], true],
  // It is there, and another problem.
  [{ dependencies: { express: '4' } }, ['node_modules/express'], false],
  // No installation brings what package.json does not name.
  [{ dependencies: { koa: '1' } }, ['node_modules/koa'], false],
  [{ dependencies: { koa: '1' } }, [], true],
  [{}, [], false],
])('a missing package of Node.js with %j and %j: %s', (pkg, folders, isFound) => {
  expect(findUninstalled(createPackage(pkg, ...folders), MISSING) !== undefined).toBe(isFound);
});

test('after an installation, the same cause has no hint', () => {
  const root = createPackage({ optionalDependencies: { express: '4' } }, 'node_modules');
  expect(findUninstalled(root, MISSING)).toBeDefined();
  expect(findUninstalled(root, '', 'mocha')).toBeDefined();
  writeFileSync(join(root, 'node_modules/.package-lock.json'), '{}');
  expect(findUninstalled(root, MISSING)).toBeUndefined();
  expect(findUninstalled(root, '', 'mocha')).toBeUndefined();
});

test.each([
  ['dependencies = ["Flask>=3"]', [], true],
  ['dependencies = ["flask-login"]', [], false],
  ['# flask', [], false],
  ['dependencies = ["flask"]', ['flask'], false],
  ['dependencies = ["flask"]', ['Flask-3.0.0.dist-info'], false],
])('with an environment, a missing module is one that pyproject.toml names: %j, %j: %s', (text, there, isFound) => {
  const root = createProject();
  writeFileSync(join(root, 'pyproject.toml'), `[project]\n${text}\n`);
  const error = "ModuleNotFoundError: No module named 'flask'";
  expect(findUninstalled(root, error)).toBeDefined();
  for (const folder of ['.venv/bin', '.venv/lib/python3.12/site-packages'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const name of there) mkdirSync(join(root, '.venv/lib/python3.12/site-packages', name));
  expect(findUninstalled(root, error) !== undefined).toBe(isFound);
});

test.each(['go.mod', 'composer.json'])('%s: what a download does not bring has no hint', (file) => {
  const root = createProject(file);
  mkdirSync(join(root, 'vendor'));
  writeFileSync(join(root, 'vendor/autoload.php'), '');
  const output =
    file === 'go.mod'
      ? 'x.go:4:2: cannot find module providing package example.com/x: module lookup disabled by GOPROXY=off'
      : 'in vendor/autoload.php on line 3';
  expect(findUninstalled(root, output)).toBeUndefined();
});

test('the hint has the tool that package.json names', () => {
  const root = createPackage({ packageManager: 'pnpm@9', dependencies: { express: '4' } });
  expect(findUninstalled(root, MISSING)?.command).toContain('pnpm install');
});
