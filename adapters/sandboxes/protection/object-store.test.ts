import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { closeObjectStore, isEmptyIntake, openObjectStore } from './object-store.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function createRepository(): { root: string; git: (...words: string[]) => string; objects: string } {
  const root = mkdtempSync(join(tmpdir(), 'klaus-objects-'));
  folders.push(root);
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...words], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    }).toString();
  git('init', '-q', '-b', 'main');
  writeFileSync(join(root, 'a'), 'a\n');
  git('add', 'a');
  git('commit', '-qm', 'first');
  return { root, git, objects: join(root, '.git/objects') };
}

const toBytes = (id: string): string => Buffer.from(id, 'hex').toString('latin1');

/** Names of all object files. */
function listObjects(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

test('an unused intake leaves no trace', () => {
  const { root, objects } = createRepository();
  const before = listObjects(objects);
  const store = openObjectStore(join(root, '.git'), { survives: false })!;
  expect(closeObjectStore(store)).toEqual([]);
  expect(listObjects(objects)).toEqual(before);
  expect(readdirSync(objects).filter((name) => name.startsWith('klaus-'))).toEqual([]);
});

test('git on the host sees new objects before and after the intake closes', () => {
  const { root, git, objects } = createRepository();
  const store = openObjectStore(join(root, '.git'), { survives: false })!;
  const id = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: root,
    input: 'new content\n',
    env: { ...process.env, GIT_OBJECT_DIRECTORY: store.intake, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects },
  })
    .toString()
    .trim();
  expect(existsSync(join(objects, id.slice(0, 2), id.slice(2)))).toBe(false);
  expect(git('cat-file', 'blob', id)).toBe('new content\n');
  expect(closeObjectStore(store)).toEqual([]);
  expect(existsSync(join(objects, id.slice(0, 2), id.slice(2)))).toBe(true);
  expect(git('cat-file', 'blob', id)).toBe('new content\n');
  expect(git('fsck', '--strict')).not.toContain('missing');
});

test.each<[string, boolean, (intake: string) => void]>([
  ['nothing', true, () => {}],
  ['an object', false, (intake) => mkdirSync(join(intake, 'ab'))],
  ['a pack', false, (intake) => writeFileSync(join(intake, 'pack/pack-1.pack'), '')],
  ['another alternate', false, (intake) => appendFileSync(join(intake, 'info/alternates'), '/tmp\n')],
  ['a file beside the alternates', false, (intake) => writeFileSync(join(intake, 'info/packs'), '')],
  ['something in the place of the store', false, (intake) => writeFileSync(join(intake, 'base/x'), '')],
  [
    'a link in the place of a folder',
    false,
    (intake) => {
      rmSync(join(intake, 'pack'), { recursive: true });
      symlinkSync('/tmp', join(intake, 'pack'));
    },
  ],
])('an intake to which %s was added: untouched is %s', (_, expected, change) => {
  const { root } = createRepository();
  const store = openObjectStore(join(root, '.git'), { survives: false })!;
  change(store.intake);
  expect(isEmptyIntake(store)).toBe(expected);
});

test('alternates of the user are kept', () => {
  const { root, objects } = createRepository();
  const other = createRepository();
  writeFileSync(join(objects, 'info/alternates'), `${other.objects}\n`);
  const store = openObjectStore(join(root, '.git'), { survives: false })!;
  expect(readFileSync(join(objects, 'info/alternates'), 'utf8')).toContain('klaus-');
  closeObjectStore(store);
  expect(readFileSync(join(objects, 'info/alternates'), 'utf8')).toBe(`${other.objects}\n`);
});

test('an existing object is never replaced, and only objects are moved', () => {
  const { root, git, objects } = createRepository();
  const id = git('rev-parse', 'HEAD').trim();
  const store = openObjectStore(join(root, '.git'), { survives: false })!;
  const before = readFileSync(join(objects, id.slice(0, 2), id.slice(2)));
  const other = 'f'.repeat(38);
  // The id of the commit contains its time.
  const free = ['ff', 'fe', 'fd', 'fc'].find((name) => !existsSync(join(objects, name)))!;
  mkdirSync(join(store.intake, id.slice(0, 2)));
  writeFileSync(join(store.intake, id.slice(0, 2), id.slice(2)), 'garbage');
  writeFileSync(join(store.intake, id.slice(0, 2), 'notes.txt'), 'garbage');
  symlinkSync('/etc/passwd', join(store.intake, id.slice(0, 2), other));
  symlinkSync('/etc', join(store.intake, free));
  writeFileSync(join(store.intake, 'info/commit-graph'), 'garbage');
  writeFileSync(join(store.intake, 'pack/multi-pack-index'), 'garbage');
  expect(closeObjectStore(store)).toEqual([]);
  expect(readFileSync(join(objects, id.slice(0, 2), id.slice(2)))).toEqual(before);
  for (const path of [
    `${id.slice(0, 2)}/notes.txt`,
    `${id.slice(0, 2)}/${other}`,
    free,
    'info/commit-graph',
    'pack/multi-pack-index',
  ])
    expect(existsSync(join(objects, path)), path).toBe(false);
});

test('an object whose content does not match its name is left out', () => {
  const { root, git, objects } = createRepository();
  writeFileSync(join(root, 'later'), 'to be committed\n');
  const id = git('hash-object', 'later').trim();
  const store = openObjectStore(join(root, '.git'), { survives: false })!;
  mkdirSync(join(store.intake, id.slice(0, 2)));
  writeFileSync(join(store.intake, id.slice(0, 2), id.slice(2)), deflateSync('blob 5\0evil\n'));
  expect(closeObjectStore(store)).toEqual([expect.stringContaining(id)]);
  expect(existsSync(join(objects, id.slice(0, 2), id.slice(2)))).toBe(false);
  git('add', 'later');
  expect(git('cat-file', 'blob', id)).toBe('to be committed\n');
});

test('the index of a pack is built from the pack, so that it cannot contain wrong names', () => {
  const { root, git, objects } = createRepository();
  const old = git('rev-parse', 'HEAD:a').trim();
  const store = openObjectStore(join(root, '.git'), { survives: false })!;
  const evil = mkdtempSync(join(tmpdir(), 'klaus-objects-'));
  folders.push(evil);
  execFileSync('git', ['init', '-q'], { cwd: evil });
  writeFileSync(join(evil, 'a'), 'evil\n');
  const own = execFileSync('git', ['hash-object', '-w', 'a'], { cwd: evil, encoding: 'utf8' }).trim();
  const name = execFileSync('git', ['pack-objects', '-q', join(store.intake, 'pack/pack')], {
    cwd: evil,
    input: `${own}\n`,
    encoding: 'utf8',
  }).trim();
  const index = join(store.intake, 'pack', `pack-${name}.idx`);
  chmodSync(index, 0o644);
  const forged = readFileSync(index).toString('latin1').replaceAll(toBytes(own), toBytes(old));
  writeFileSync(index, forged, 'latin1');
  expect(closeObjectStore(store)).toEqual([]);
  expect(existsSync(join(objects, 'pack', `pack-${name}.pack`))).toBe(true);
  expect(git('cat-file', 'blob', old)).toBe('a\n');
  expect(git('cat-file', 'blob', own)).toBe('evil\n');
  expect(() => git('fsck', '--strict')).not.toThrow();
});

test('a damaged pack is left out', () => {
  const { root, objects } = createRepository();
  const store = openObjectStore(join(root, '.git'), { survives: false })!;
  const name = `pack-${'a'.repeat(40)}`;
  for (const end of ['.pack', '.idx']) writeFileSync(join(store.intake, 'pack', name + end), 'garbage');
  expect(closeObjectStore(store)).toEqual([expect.stringContaining(name)]);
  expect(existsSync(join(objects, 'pack', `${name}.idx`))).toBe(false);
});

test('the next command closes the intake of a process that was killed', () => {
  const { root, git, objects } = createRepository();
  const script = `import { openObjectStore } from ${JSON.stringify(join(import.meta.dirname, 'object-store.ts'))};
    console.log(openObjectStore(${JSON.stringify(join(root, '.git'))}, { survives: false }).intake);
    process.kill(process.pid, 'SIGKILL');`;
  let intake = '';
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' });
  } catch (error) {
    intake = String((error as { stdout: Buffer }).stdout).trim();
  }
  expect(existsSync(intake)).toBe(true);
  const made = join(intake, 'pack');
  execFileSync('git', ['pack-objects', '-q', join(made, 'pack')], {
    cwd: root,
    input: `${git('rev-parse', 'HEAD').trim()}\n`,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  closeObjectStore(openObjectStore(join(root, '.git'), { survives: false })!);
  expect(existsSync(intake)).toBe(false);
  expect(readdirSync(join(objects, 'pack')).filter((name) => name.endsWith('.idx'))).toHaveLength(1);
  expect(git('fsck')).not.toContain('missing');
});

test('a read-only store needs no intake', () => {
  const { root, objects } = createRepository();
  if (process.geteuid?.() === 0) rmSync(objects, { recursive: true });
  else chmodSync(objects, 0o555);
  expect(openObjectStore(join(root, '.git'), { survives: false })).toBeUndefined();
  if (existsSync(objects)) chmodSync(objects, 0o755);
});
