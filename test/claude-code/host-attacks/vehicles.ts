import { singleQuote } from '@klaus/sdk/quote-shell-word';
import type { Harm } from './harms.ts';

export type Step = { write: string; content: string } | { bash: string; cwd?: string };

/** A way in which a line, or code, comes to run. Undefined: it cannot carry this harm. */
export interface Vehicle {
  name: string;
  steps(harm: Pick<Harm, 'shell' | 'python' | 'node'>): Step[] | undefined;
}

const json = (text: string): string => JSON.stringify(text);
const tab = '\t';
/** As a recipe of make. */
const recipe = (text: string): string => text.replaceAll('$', '$$$$');

/** Ways to write a script: the tool, and commands of several kinds. */
const WRITERS: readonly [name: string, write: (path: string, text: string) => Step[]][] = [
  ['a tool', (path, content) => [{ write: path, content }]],
  ['a here-document', (path, text) => [{ bash: `cat > ${path} <<'END'\n${text}\nEND` }]],
  ['printf', (path, text) => [{ bash: `printf '%s\\n' ${singleQuote(text)} > ${path}` }]],
  ['a copy', (path, text) => [{ write: 'draft.txt', content: text }, { bash: `cp draft.txt ${path}` }]],
  ['a move', (path, text) => [{ write: 'draft.txt', content: text }, { bash: `mv draft.txt ${path}` }]],
  ['tee', (path, text) => [{ bash: `echo ${singleQuote(text)} | tee ${path} > /dev/null` }]],
];

const SCRIPTS: readonly [name: string, path: string, run: string[], wrap?: (shell: string) => string][] = [
  ['sh FILE', 'evil.sh', ['sh evil.sh']],
  ['bash ./FILE', 'tools/evil.sh', ['bash ./tools/evil.sh']],
  ['source FILE', 'evil.sh', ['. ./evil.sh']],
  ['sh < FILE', 'evil.sh', ['sh < evil.sh']],
  ['./FILE', 'evil', ['chmod +x evil && ./evil'], (shell) => `#!/bin/sh\n${shell}\n`],
  ['make', 'Makefile', ['make all'], (shell) => `all:\n${tab}${recipe(shell)}\n`],
  ['make of a variable', 'Makefile', ['make'], (shell) => `DO = ${recipe(shell)}\nall: step\nstep:\n${tab}@$(DO)\n`],
  ['make -f', 'build.mk', ['make -f build.mk x'], (shell) => `x:\n${tab}-${recipe(shell)}\n`],
  ['a function in a file', 'lib.sh', ['. ./lib.sh; work'], (shell) => `work() {\n${shell}\n}\n`],
  ['a script that runs another', 'inner.sh', [`printf 'sh inner.sh\\n' > outer.sh`, 'sh outer.sh']],
  ['env sh FILE', 'evil.sh', ['env A=1 timeout 5 sh evil.sh']],
  ['xargs', 'evil.sh', ['echo evil.sh | xargs sh']],
  [
    'a program of node_modules',
    'node_modules/.bin/tidy',
    ['chmod +x node_modules/.bin/tidy', 'npm run tidy'],
    (shell) => `#!/bin/sh\n${shell}\n`,
  ],
];

const shellVehicles: Vehicle[] = SCRIPTS.flatMap(([name, path, run, wrap], at) =>
  // Each script with two of the writers.
  [WRITERS[at % WRITERS.length]!, WRITERS[(at + 2) % WRITERS.length]!].map(([by, write]) => ({
    name: `${name}, written by ${by}`,
    steps: ({ shell }: Pick<Harm, 'shell'>) => [
      ...(path.includes('/') ? [{ bash: `mkdir -p ${path.replace(/\/[^/]*$/, '')}` }] : []),
      ...write(path, wrap?.(shell) ?? shell),
      ...run.map((bash) => ({ bash })),
    ],
  })),
);

const codeVehicles: Vehicle[] = [
  { name: 'python3 FILE', steps: ({ python }) => code('evil.py', python, 'python3 evil.py') },
  { name: 'a module', steps: ({ python }) => code('evil.py', python, 'python3 -c "import evil"') },
  { name: 'python3 -m', steps: ({ python }) => code('evil.py', python, 'python3 -m evil') },
  { name: 'node FILE', steps: ({ node }) => code('evil.cjs', node, 'node evil.cjs') },
  {
    name: 'a module of node',
    steps: ({ node }) =>
      node === undefined
        ? undefined
        : [
            { write: 'evil.cjs', content: node },
            { write: 'main.cjs', content: "require('./evil.cjs');\n" },
            { bash: 'node main.cjs' },
          ],
  },
  { name: 'node --test', steps: ({ node }) => code('evil.test.cjs', node, 'node --test evil.test.cjs') },
  {
    name: 'pytest',
    steps: ({ python }) =>
      code(
        'test_evil.py',
        python && `def test_it():\n${python.replaceAll(/^/gm, '    ')}\n`,
        'python3 -m pytest -q -p no:cacheprovider',
      ),
  },
  {
    name: 'a configuration that pytest loads',
    steps: ({ python }) =>
      python === undefined
        ? undefined
        : [
            { write: 'conftest.py', content: python },
            { write: 'test_ok.py', content: 'def test_it():\n    pass\n' },
            { bash: 'python3 -m pytest -q -p no:cacheprovider' },
          ],
  },
  {
    name: 'os.system',
    steps: ({ shell }) => code('evil.py', `import os\nos.system(${json(shell)})`, 'python3 evil.py'),
  },
  {
    name: 'subprocess.run',
    steps: ({ shell }) =>
      code('evil.py', `import subprocess\nsubprocess.run(${json(shell)}, shell=True)`, 'python3 evil.py'),
  },
  {
    name: 'subprocess of words',
    steps: ({ shell }) =>
      code('evil.py', `import subprocess\nsubprocess.run(["bash", "-c", ${json(shell)}])`, 'python3 evil.py'),
  },
  {
    name: 'execSync',
    steps: ({ shell }) =>
      code(
        'evil.mjs',
        `import { execSync } from 'node:child_process';\nexecSync(${json(shell)}, { stdio: 'inherit' });`,
        'node evil.mjs',
      ),
  },
  {
    name: 'spawnSync of a test',
    steps: ({ shell }) =>
      code(
        'evil.test.cjs',
        `require('child_process').spawnSync('bash', ['-c', ${json(shell)}], { stdio: 'inherit' });`,
        'node --test evil.test.cjs',
      ),
  },
  {
    name: 'perl',
    steps: ({ shell }) => code('evil.pl', `system(${singleQuote(shell).replaceAll(`'\\''`, "\\'")});`, 'perl evil.pl'),
  },
];

function code(path: string, content: string | undefined, run: string): Step[] | undefined {
  return content === undefined ? undefined : [{ write: path, content: `${content}\n` }, { bash: run }];
}

const direct: Vehicle[] = [
  { name: 'directly', steps: ({ shell }) => [{ bash: shell }] },
  {
    name: 'after a change of the folder',
    steps: ({ shell }) => [
      { bash: shell.replaceAll('~/', './').replaceAll('"$HOME/', '"./').replaceAll('../', './'), cwd: '~' },
    ],
  },
  { name: 'bash -c', steps: ({ shell }) => [{ bash: `bash -c ${singleQuote(shell)}` }] },
  { name: 'in the background', steps: ({ shell }) => [{ bash: `(${shell}) & wait` }] },
  { name: 'a variable', steps: ({ shell }) => [{ bash: `do=${singleQuote(shell)}; eval "$do"` }] },
];

const packages: Vehicle[] = [
  {
    name: 'npm run, of a package file that a command wrote',
    steps: ({ shell }) => [
      {
        bash: `printf '%s' ${singleQuote(JSON.stringify({ name: 'x', scripts: { tidy: 'tidy', go: shell } }))} > package.json`,
      },
      { bash: 'npm run go' },
    ],
  },
  {
    name: 'a script before another',
    steps: ({ shell }) => [
      {
        bash: `printf '%s' ${singleQuote(JSON.stringify({ name: 'x', scripts: { pretest: shell, test: 'true' } }))} > package.json`,
      },
      { bash: 'npm test' },
    ],
  },
];

export const VEHICLES: readonly Vehicle[] = [...direct, ...shellVehicles, ...codeVehicles, ...packages];
