import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** A bundle of three files, and a program that reports which of them V8 loaded from the cache. */
function createBundle() {
  const root = mkdtempSync(join(tmpdir(), 'klaus-code-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  copyFileSync(join(import.meta.dirname, 'code-cache.cjs'), join(root, 'code-cache.cjs'));
  const write = (name: string, text: string) => writeFileSync(join(root, name), text);
  write('main.cjs', 'exports.late = () => require("./late.cjs"); console.log(require("./part.cjs").say());');
  write('part.cjs', 'const { basename } = require("node:path"); exports.say = () => basename(__filename) + " one";');
  write('late.cjs', 'exports.say = () => "late";');
  write(
    'program.cjs',
    `const vm = require('node:vm');
     const { Script } = vm;
     const rejected = {};
     vm.Script = class extends Script {
       constructor(source, options) {
         super(source, options);
         rejected[require('node:path').basename(options.filename)] =
           options.cachedData === undefined ? 'new' : this.cachedDataRejected ? 'rejected' : 'taken';
       }
     };
     const [, , home, command, more, code] = process.argv;
     require('./code-cache.cjs').start(home, command);
     if (more === 'late') require.cache[require('node:path').join(__dirname, 'main.cjs')].exports.late();
     process.on('exit', () => console.log(JSON.stringify(rejected)));
     process.exitCode = Number(code ?? 0);`,
  );
  const run = (...words: string[]) => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'program.cjs'), home, ...words], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const [said, files] = stdout.trim().split('\n');
    return { said, files: JSON.parse(files!) as Record<string, string> };
  };
  const folder = join(home, 'cache/code');
  return { root, home, folder, write, run, list: () => (existsSync(folder) ? readdirSync(folder) : []) };
}

const NEW = { 'main.cjs': 'new', 'part.cjs': 'new' };
const TAKEN = { 'main.cjs': 'taken', 'part.cjs': 'taken' };

test('the second start takes the code that the first one kept', () => {
  const { run, folder, list } = createBundle();
  expect(run('run')).toEqual({ said: 'part.cjs one', files: NEW });
  const [name] = list();
  expect(statSync(join(folder, name!)).mode & 0o777).toBe(0o600);
  const before = statSync(join(folder, name!)).ino;
  expect(run('run')).toEqual({ said: 'part.cjs one', files: TAKEN });
  // Nothing is new, so the file is not written again.
  expect(statSync(join(folder, name!)).ino).toBe(before);
});

test('a file that is loaded for the first time is added to the others', () => {
  const { run } = createBundle();
  run('run');
  expect(run('run', 'late').files).toEqual({ ...TAKEN, 'late.cjs': 'new' });
  expect(run('run').files).toEqual(TAKEN);
  expect(run('run', 'late').files).toEqual({ ...TAKEN, 'late.cjs': 'taken' });
});

test('changed code of the same length is compiled again', () => {
  const { run, write } = createBundle();
  run('run');
  write('part.cjs', 'const { basename } = require("node:path"); exports.say = () => basename(__filename) + " two";');
  expect(run('run')).toEqual({ said: 'part.cjs two', files: { ...TAKEN, 'part.cjs': 'new' } });
  expect(run('run')).toEqual({ said: 'part.cjs two', files: TAKEN });
});

test('a damaged cache is not used, and replaced', () => {
  const { run, folder, list } = createBundle();
  run('run');
  const file = join(folder, list()[0]!);
  const valid = readFileSync(file);
  for (const at of [0, 9, valid.length >> 1, valid.length - 12, valid.length - 6, valid.length - 1]) {
    const bytes = Buffer.from(valid);
    bytes[at]! ^= 0x40;
    writeFileSync(file, bytes);
    expect(run('run')).toEqual({ said: 'part.cjs one', files: NEW });
    expect(run('run').files).toEqual(TAKEN);
  }
  for (const length of [0, 3, 100, valid.length - 1]) {
    writeFileSync(file, valid.subarray(0, length));
    expect(run('run').files).toEqual(NEW);
  }
});

test('each command has its own cache; an unknown command counts as a run', () => {
  const { run, list } = createBundle();
  run('run');
  expect(run('serve').files).toEqual(NEW);
  expect(run('Look around.').files).toEqual(TAKEN);
  expect(run('../../serve').files).toEqual(TAKEN);
  expect(list()).toHaveLength(2);
});

test('a mistyped command writes no cache', () => {
  const { run, list } = createBundle();
  run('instal', '', '2');
  expect(list()).toEqual([]);
});

test('a folder that others can write is neither read nor written', () => {
  const { run, home, list } = createBundle();
  run('run');
  chmodSync(home, 0o777);
  expect(run('run').files).toEqual(NEW);
  expect(run('serve').files).toEqual(NEW);
  expect(list()).toHaveLength(1);
});

test('state folders share a private folder beside the bundle, where there is one', () => {
  const { root, home, run, list } = createBundle();
  const shared = join(root, 'code');
  mkdirSync(shared, { mode: 0o700 });
  expect(run('run').files).toEqual(NEW);
  rmSync(home, { recursive: true });
  expect(run('run').files).toEqual(TAKEN);
  mkdirSync(home, { mode: 0o700 });
  expect([readdirSync(shared).length, list()]).toEqual([1, []]);
  chmodSync(shared, 0o777);
  expect(run('run').files).toEqual(NEW);
  expect([readdirSync(shared).length, list().length]).toEqual([1, 1]);
});

test('without a home nothing is created, and a folder that cannot be written is no error', () => {
  const { run, home, list } = createBundle();
  rmSync(home, { recursive: true });
  expect(run('run').files).toEqual(NEW);
  expect(existsSync(home)).toBe(false);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'cache'), '');
  expect(run('run')).toEqual({ said: 'part.cjs one', files: NEW });
  expect(list()).toEqual([]);
});

test('caches that were unused for a month, and those of an earlier version, are deleted', () => {
  const { run, home, folder, list } = createBundle();
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(home, 'cache/compiled'));
  for (const name of ['old', 'young']) writeFileSync(join(folder, name), '');
  const long = new Date(Date.now() - 31 * 86_400_000);
  utimesSync(join(folder, 'old'), long, long);
  run('run');
  expect(list().filter((name) => !name.startsWith('run'))).toEqual(['young']);
  expect(readdirSync(join(home, 'cache'))).toEqual(['code']);
});

test('concurrent starts leave one valid cache', () => {
  const { root, home, run, list } = createBundle();
  const words = Array.from({ length: 6 }, () => `node program.cjs ${home} run &`).join(' ');
  execFileSync('/bin/sh', ['-c', `PATH=${process.execPath.replace(/\/node$/, '')}:$PATH; ${words} wait`], {
    cwd: root,
  });
  expect(list()).toHaveLength(1);
  expect(run('run').files).toEqual(TAKEN);
});
