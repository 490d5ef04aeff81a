import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { distrustFolder, toHostEnvironment, toHostPath } from './host-path.ts';

function createFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-path-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const toPath = (...folders: string[]): string => toHostPath(folders.join(delimiter));

function make(...parts: string[]): string {
  const folder = join(...parts);
  mkdirSync(folder, { recursive: true });
  return folder;
}

test('keeps the folders of the system and of the user, in their order', () => {
  const own = make(createFolder(), 'bin');
  expect(toPath(own, '/usr/bin', '/bin')).toBe([own, '/usr/bin', '/bin'].join(delimiter));
});

test('leaves out what is no absolute path, and what does not exist', () => {
  expect(toPath('', '.', 'bin', './bin', join(createFolder(), 'none'), '/usr/bin')).toBe('/usr/bin');
});

test('never gives an empty path, which would mean the working folder', () => {
  expect(toPath('', '.')).toBe('/nonexistent');
  expect(toHostPath('')).toBe('/nonexistent');
});

test.for(['node_modules/.bin', 'node_modules/tool/bin'])('leaves out %s', (path) => {
  expect(toPath(make(createFolder(), path), '/usr/bin')).toBe('/usr/bin');
});

test('leaves out a virtual environment', () => {
  const folder = createFolder();
  const bin = make(folder, 'environment/bin');
  writeFileSync(join(folder, 'environment/pyvenv.cfg'), '');
  expect(toPath(bin, '/usr/bin')).toBe('/usr/bin');
});

test('leaves out every folder of a repository', () => {
  const folder = createFolder();
  make(folder, '.git');
  expect(toPath(make(folder, 'tools/bin'), '/usr/bin')).toBe('/usr/bin');
});

test('leaves out a folder that commands write, also through a link to it or to a folder of it', () => {
  const folder = createFolder();
  const bin = make(folder, 'work/bin');
  const link = join(folder, 'link');
  symlinkSync(bin, link);
  expect(toPath(bin, link, '/usr/bin')).toBe([bin, link, '/usr/bin'].join(delimiter));
  const given = join(folder, 'given');
  symlinkSync(join(folder, 'work'), given);
  distrustFolder(given);
  expect(toPath(bin, link, join(given, 'bin'), '/usr/bin')).toBe('/usr/bin');
});

test('leaves out a link in a folder that commands write, wherever it leads to', () => {
  const folder = createFolder();
  const [work, elsewhere] = [make(folder, 'work'), make(folder, 'elsewhere')];
  symlinkSync(elsewhere, join(work, 'bin'));
  distrustFolder(work);
  expect(toPath(join(work, 'bin'), elsewhere)).toBe(elsewhere);
});

test('keeps every other variable', () => {
  expect(toHostEnvironment({ PATH: '.', A: 'b' })).toEqual({ PATH: '/nonexistent', A: 'b' });
});
