// Covers apps/claude-code/verification, adapters/tools/git: changes that hide from the checks or from the reviewer.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runKlaus } from '../fixtures/klaus.ts';
import { test } from '../fixtures/sandboxed.ts';
import { type TestHome } from '../fixtures/test-home.ts';
import { createScene, PROJECT, type Scene } from './mcp.fixture.ts';

const EVIL = 'EVIL_7c1f';
const NO_CHECKS = { 'README.md': '# Test\n', 'sum.js': 'export const sum = (a, b) => a + b;\n' };
const timeout = 120_000;

/** What reviewers were shown. */
const toShown = (scene: Scene): string =>
  scene.model.requests
    .map(({ body }) => body)
    .filter((body) => body.includes('Review a change'))
    .join('\n');

const at = ({ place }: Scene, path: string): string => join(place.workspace, path);

function setAll(scene: Scene, settings: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(settings)) scene.git('config', name, value);
}

/** Ways to hide a text from a difference, each in a file of its own. */
const HIDDEN: Readonly<Record<string, (scene: Scene, evil: string) => void>> = {
  'an attribute against differences': (scene, evil) => scene.write('minus.a1', evil),
  'the attribute binary': (scene, evil) => scene.write('binary.a2', evil),
  'a driver that shows something else': (scene, evil) => scene.write('driver.a3', evil),
  'attributes of the repository alone': (scene, evil) => scene.write('info.a4', evil),
  'a NUL byte': (scene, evil) => scene.write('nul.js', `\0${evil}`),
  'bytes that are no text': (scene, evil) =>
    writeFileSync(at(scene, 'bytes.js'), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`\n${evil}`)])),
  'a long file': (scene, evil) =>
    scene.write('long.js', `${'export const a = "0123456789012345678901234567890123456789";\n'.repeat(4_000)}${evil}`),
  'a long line': (scene, evil) => scene.write('line.js', `${'a'.repeat(160_000)}${evil}`),
  'a name with control characters': (scene, evil) => scene.write('a\n+\tb\x1b.js', evil),
  'a rename': (scene, evil) => {
    scene.git('mv', 'old.txt', 'new.js');
    scene.write('new.js', `${OLD}${evil}`);
  },
  'a file that is only announced': (scene, evil) => {
    scene.write('announced.js', evil);
    scene.git('add', '-N', 'announced.js');
  },
  'a link': (scene, evil) => symlinkSync(`../${evil}`, at(scene, 'link')),
};
const OLD = 'export {};\n'.repeat(200);

test('the reviewer is shown every byte of a change that hides it', { timeout }, async () => {
  await using scene = await createScene({
    files: { ...NO_CHECKS, 'old.txt': OLD },
  });
  scene.write('.gitattributes', '*.a1 -diff\n*.a2 binary\n*.a3 diff=none\n');
  writeFileSync(at(scene, '.git/info/attributes'), '*.a4 -diff -text\n');
  setAll(scene, { 'diff.none.textconv': 'true', 'diff.none.command': 'true', 'diff.none.binary': 'true' });
  setAll(scene, { 'diff.context': '0', 'diff.external': 'true', 'diff.orderFile': 'sum.js', 'diff.noprefix': 'true' });
  setAll(scene, { 'diff.renames': 'copies', 'diff.ignoreSubmodules': 'all', 'core.bigFileThreshold': '1' });
  chmodSync(at(scene, 'sum.js'), 0o755);
  const names = Object.keys(HIDDEN);
  for (const [index, name] of names.entries()) HIDDEN[name]!(scene, `${EVIL}_${index}_`);
  expect(await scene.call('confirm')).toMatchObject({ ok: true });
  const shown = toShown(scene);
  expect(names.filter((_, index) => !shown.includes(`${EVIL}_${index}_`))).toEqual([]);
  expect(shown).toContain('new mode 100755');
});

test('files on disk that are not those of the commit are named and refused', { timeout }, async () => {
  const files = {
    ...NO_CHECKS,
    'filtered.js': '1\n',
    'keyword.js': '1\n',
    'encoded.js': '1\n',
    'timed.js': 'a + b\n',
    'sparse.js': '1\n',
    'assumed.js': '1\n',
  };
  await using scene = await createScene({ files });
  scene.write(
    '.gitattributes',
    'filtered.js filter=other\nkeyword.js ident\nencoded.js working-tree-encoding=UTF-16LE\n',
  );
  setAll(scene, { 'filter.other.clean': 'echo 1', 'core.trustctime': 'false', 'core.checkStat': 'minimal' });
  scene.git('update-index', '--assume-unchanged', 'assumed.js');
  scene.write('assumed.js', EVIL);
  scene.write('filtered.js', EVIL);
  scene.write('keyword.js', `// $Id: ${EVIL} $\n`);
  writeFileSync(at(scene, 'encoded.js'), Buffer.from('2\n', 'utf16le'));
  const touch = (date: string, path: string) => execFileSync('touch', ['-d', date, at(scene, path)]);
  touch('2020-01-01', 'timed.js');
  scene.git('update-index', '-q', '--refresh', 'timed.js');
  touch('2021-01-01', '.git/index');
  scene.write('timed.js', 'a - b\n');
  touch('2020-01-01', 'timed.js');
  setAll(scene, { 'core.sparseCheckout': 'true' });
  writeFileSync(at(scene, '.git/info/sparse-checkout'), '/*\n!/sparse.js\n');
  scene.write('sparse.js', EVIL);
  const answer = await scene.call('commit', { message: 'x' });
  expect(answer).toMatchObject({ isError: true, code: 'commit.unequal' });
  for (const name of ['filtered.js', 'keyword.js', 'encoded.js', 'sparse.js', 'timed.js', 'assumed.js'])
    expect(answer.message).toContain(name);
  expect(toShown(scene)).toBe('');
});

describe('a change is refused', () => {
  test('if it is too large to be shown, in a submodule, or in a file that the index skips', { timeout }, async () => {
    await using scene = await createScene({ files: NO_CHECKS });
    scene.write('long.js', `${'a'.repeat(2_000_000)}\n`);
    expect(await scene.call('commit', { message: 'x' })).toMatchObject({ isError: true, code: 'confirm.large' });
    rmSync(at(scene, 'long.js'));
    const inner = at(scene, 'lib');
    mkdirSync(inner);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
        cwd: inner,
        env: scene.place.env,
      });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    expect(await scene.call('commit', { message: 'x' })).toMatchObject({ isError: true, code: 'confirm.submodule' });
    rmSync(inner, { recursive: true });
    scene.git('update-index', '--skip-worktree', 'sum.js');
    for (const name of ['sum.js', 'new.js']) scene.write(name, EVIL);
    expect(await scene.call('commit', { message: 'x' })).toMatchObject({ isError: true, code: 'commit.unequal' });
    expect(toShown(scene)).toBe('');
  });

  const CHECKED = {
    ...NO_CHECKS,
    'package.json': JSON.stringify({ scripts: { lint: 'node lint.js' } }),
    'lint.js': 'process.exit(require("fs").readFileSync("sum.js", "utf8").includes("EVIL") ? 1 : 0);\n',
    '.gitignore': 'node_modules/\n',
  };
  const WEAKER: Readonly<Record<string, readonly [path: string, text: string]>> = {
    'another script': ['package.json', JSON.stringify({ scripts: { lint: 'true' } })],
    'a script around it': ['package.json', JSON.stringify({ scripts: { prelint: 'rm sum.js', lint: 'node lint.js' } })],
    'another program of the script': ['lint.js', 'process.exit(0);\n'],
    'another shell of scripts': ['.npmrc', 'script-shell=/bin/true\n'],
    'options of Node.js': ['.npmrc', 'node-options=--require ./x.js\n'],
  };

  test('if it weakens the checks that judge it', { timeout }, async () => {
    await using scene = await createScene({ files: CHECKED });
    const passed: string[] = [];
    for (const [name, [path, text]] of Object.entries(WEAKER)) {
      scene.write('sum.js', `${EVIL}\n`);
      scene.write(path, text);
      const { code } = await scene.call('commit', { message: 'x' });
      if (code !== 'check.weakened') passed.push(`${name}: ${code}`);
      scene.git('checkout', '-q', '.');
      scene.git('clean', '-qfd');
    }
    expect(passed).toEqual([]);
    expect(toShown(scene)).toBe('');
  });
});

test('an ordinary change of a project with checks, media and large files is committed', { timeout }, async () => {
  await using scene = await createScene({
    files: { ...PROJECT, 'package.json': JSON.stringify({ scripts: { lint: 'true' } }) },
  });
  scene.write(
    'package.json',
    JSON.stringify({ scripts: { lint: 'true', start: 'node sum.js' }, dependencies: { a: '1' } }),
  );
  scene.write('sum.test.js', "import { test } from 'node:test';\ntest('sum', () => {});\n");
  writeFileSync(join(scene.place.workspace, 'logo.png'), Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff', 'latin1'));
  chmodSync(join(scene.place.workspace, 'sum.js'), 0o755);
  scene.git('rm', '-q', 'README.md');
  expect(await scene.call('commit', { message: 'Change more' })).toMatchObject({ ok: true });
});

describe('a check whose programs no commit has', () => {
  const files = {
    ...NO_CHECKS,
    'package.json': JSON.stringify({ scripts: { lint: 'eslint .' } }),
    '.gitignore': 'node_modules/\n.npmrc\n',
    'node_modules/eslint/package.json': '{"name":"eslint","version":"1.0.0","bin":"cli.js"}',
    'node_modules/eslint/cli.js':
      'process.exit(require("fs").readFileSync("sum.js", "utf8").includes("EVIL") ? 1 : 0);\n',
  };
  const install = ({ workspace }: TestHome): void => {
    mkdirSync(join(workspace, 'node_modules/.bin'), { recursive: true });
    writeFileSync(join(workspace, 'node_modules/.bin/eslint'), '#!/usr/bin/env node\nrequire("../eslint/cli.js");\n', {
      mode: 0o755,
    });
  };

  test.each<[string, (scene: Scene) => void]>([
    ['replaced in the folder of programs', (scene) => scene.write('node_modules/.bin/eslint', '#!/bin/sh\nexit 0\n')],
    ['changed in its package', (scene) => scene.write('node_modules/eslint/cli.js', 'process.exit(0);\n')],
    ['replaced by another shell of scripts', (scene) => scene.write('.npmrc', 'script-shell=/bin/true\n')],
  ])('is refused if it is %s', { timeout }, async (_, change) => {
    await using scene = await createScene({ files, prepare: install });
    scene.write('sum.js', 'export const sum = (a, b) => b + a;\n');
    expect(await scene.call('commit', { message: 'Control' })).toMatchObject({ ok: true });
    change(scene);
    scene.write('sum.js', `${EVIL}\n`);
    expect(await scene.call('commit', { message: 'x' })).toMatchObject({ isError: true, code: 'check.weakened' });
    // Also by another server, and after the code was restored.
    await scene.client.close();
    await scene.reconnect();
    scene.write('sum.js', 'export const sum = (a, b) => a + b + 0;\n');
    expect(await scene.call('commit', { message: 'x' })).toMatchObject({ isError: true, code: 'check.weakened' });
  });

  test('is accepted again by the user', { timeout }, async () => {
    await using scene = await createScene({ files });
    scene.write('sum.js', 'export const sum = (a, b) => b + a;\n');
    await scene.call('check');
    install(scene.place);
    expect(await scene.call('commit', { message: 'x' })).toMatchObject({ code: 'check.weakened' });
    const accepted = await runKlaus(['mcp', 'accept'], { place: scene.place });
    expect(accepted).toMatchObject({ code: 0 });
    expect(await scene.call('commit', { message: 'x' })).toMatchObject({ ok: true });
  });
});
