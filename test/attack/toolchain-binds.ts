import { dirname, join } from 'node:path';
import type { Chance } from '../undo/chance.ts';
import { runProgram, type AttackCase, type AttackClass } from './case.ts';
import { makeLayout, plant, toLayout, toPlanted } from './toolchain-layouts.ts';

/** Other things that people have on PATH. */
const NOISE = [
  '/',
  '/etc',
  '/home',
  '/opt',
  '/no such/bin',
  'user',
  'user/.ssh',
  'user/.config',
  'user/projects',
  '..',
  '',
];

/** Programs that look for `CANARY` in every file below `ROOT`, by all the mounts that they see. */
const READERS: Readonly<Record<string, { file: string; source: (root: string, paths: readonly string[]) => string }>> =
  {
    'sh, by path': {
      file: 'read.sh',
      source: (_, paths) => paths.map((path) => `cat '${path}' 2>/dev/null`).join('\n'),
    },
    'sh, by the root of a process': {
      file: 'read.sh',
      source: (root, paths) =>
        [...paths.map((path) => `cat "/proc/self/root${path}" 2>/dev/null`), `ls -lR '/proc/self/root${root}'`].join(
          '\n',
        ),
    },
    grep: {
      file: 'read.sh',
      source: (root) => `grep -RhaoI 'CANARY[0-9a-z]*' '${root}' --exclude=read.* --exclude=out.txt`,
    },
    find: {
      file: 'read.sh',
      source: (root) => `find -L '${root}' -type f -size -64k ! -name 'out.txt' -exec cat {} + 2>/dev/null`,
    },
    tar: {
      file: 'read.sh',
      source: (root) => `tar -cf - --exclude=out.txt '${root}' 2>/dev/null | grep -ao 'CANARY[0-9a-z]*'`,
    },
    python: {
      file: 'read.py',
      source: (root) => `import os
roots = ['${root}'] + [line.split(' ')[4].replace('\\\\040', ' ') for line in open('/proc/self/mountinfo')]
for top in [each for each in roots if each.startswith('${root}')]:
    files = [top] if os.path.isfile(top) else [os.path.join(a, f) for a, _, c in os.walk(top, followlinks=True) for f in c if a.count('/') < 40]
    for path in files:
        if path.endswith('out.txt'): continue
        try: print(open(path, errors='replace').read(65536))
        except OSError: pass
`,
    },
    perl: {
      file: 'read.sh',
      source: (root) =>
        `perl -MFile::Find -e 'find({ no_chdir => 1, wanted => sub { return if /out.txt$/ || !-f $_; open(my $f, "<", $_) or return; local $/; print <$f> } }, @ARGV)' '${root}'`,
    },
    node: {
      file: 'read.js',
      source: (root) => `const fs = require('node:fs');
for (const name of fs.readdirSync('${root}', { recursive: true })) {
  if (name.endsWith('out.txt')) continue;
  try { console.log(fs.readFileSync('${root}/' + name, 'utf8')); } catch {}
}
`,
    },
  };

function generate(chance: Chance, index: number): AttackCase {
  const layout = toLayout(chance);
  const planted = toPlanted(chance, layout, String(index));
  const reader = chance.pick(Object.keys(READERS));
  const noise = [chance.pick(NOISE), chance.pick(NOISE)];
  const word = `WORKS${index}`;
  const { file, source } = READERS[reader]!;
  const isRelative = (entry: string) => entry !== '' && !entry.startsWith('/') && entry !== '..';
  return {
    name: `${layout.shape} at ${layout.prefix}: ${planted.map(({ path, disguise }) => (disguise === 'none' ? path : `${path} (${disguise})`)).join(', ')}; ${reader}`,
    env({ workspace, env }) {
      const root = dirname(workspace);
      const own = [...noise, layout.entry].map((entry) => (isRelative(entry) ? `${root}/${entry}` : entry));
      return { PATH: [...own, env['PATH']].join(':'), CARGO_HOME: `${root}/user/.cargo`, NVM_DIR: `${root}/user/.nvm` };
    },
    before(scene) {
      const root = dirname(scene.workspace);
      for (const each of planted) plant(root, layout, each);
      makeLayout(root, layout, word);
    },
    calls(scene) {
      const root = dirname(scene.workspace);
      const paths = planted.flatMap(({ path, at }) => [path, `${layout.prefix}/lib/seen-${at}`]);
      const program = file.endsWith('.py') ? 'python3' : file.endsWith('.js') ? 'node' : 'sh';
      const text = source(
        root,
        paths.map((path) => join(root, path)),
      );
      const steps = `tool > works.txt 2>&1\n${program} ${file} > out.txt 2>/dev/null\necho DONE >> out.txt\n`;
      const [write] = runProgram(file, text);
      return [write!, ...runProgram('steps.sh', steps)];
    },
    effects(scene) {
      const out = scene.has('out.txt') ? scene.read('out.txt') : '';
      const works = scene.has('works.txt') ? scene.read('works.txt') : '';
      return [
        ...planted
          .filter(({ value }) => new RegExp(`${value}\\b`).test(out))
          .map(({ path, disguise }) => `${path} was read (${disguise})`),
        ...(out.includes('DONE') ? [] : ['the reading did not run']),
        ...(works.includes(word) ? [] : [`the program does not work: ${works}`]),
      ];
    },
  };
}

/** Secrets around and inside the toolchains on PATH, read by a command; the toolchains themselves have to work. */
export const toolchainBinds: AttackClass = { name: 'toolchain-binds', generate };
