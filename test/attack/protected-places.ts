// Protected places after a run: everything that a program planted, moved, linked or committed there is removed, or
// the run has not ended as done.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PROTECTED_PLACES } from '@klaus/core/policy';
import type { Chance } from '../undo/chance.ts';
import { run, type AttackClass } from './case.ts';
import { outcomeOf } from '../fixtures/engine.ts';
import type { Scene } from './scene.ts';
import { SWITCHES, type Switch } from './protected-switches.ts';

const DEPTHS = ['', 'packages/app', 'node_modules/x', 'a/b/c/d/e/f', 'vendor', '.hidden/deep'];
const SIBLINGS = ['foo.txt', 'notes/readme.txt', 'x y.md', 'ünï.txt', 'data.bin'];
const EVIL = 'evil-content';

/** What can be at a place, by what the program does to it. */
type Deed =
  | 'create'
  | 'modify'
  | 'delete'
  | 'mode'
  | 'rename-away'
  | 'to-folder'
  | 'to-symlink'
  | 'parent-symlink'
  | 'via-rename'
  | 'folder';
const ON_NOTHING: readonly Deed[] = [
  'create',
  'create',
  'create',
  'to-symlink',
  'parent-symlink',
  'via-rename',
  'folder',
];
const ON_FILE: readonly Deed[] = [
  'modify',
  'delete',
  'mode',
  'rename-away',
  'to-folder',
  'to-symlink',
  'parent-symlink',
];

/** Rows of the list; those that the sandbox or git protects are other classes. */
const ROWS = PROTECTED_PLACES.filter(
  ({ place, pattern }) => place !== 'git' && place !== 'klaus' && !pattern.endsWith('/.'),
);
const toName = ({ pattern }: (typeof ROWS)[number]): string => pattern.replaceAll('*', 'x');
/** Names that rows match, where there is no such file and where there is one. */
const NEW_NAMES = ROWS.map(toName);
const NAMES = ROWS.filter(({ isNewOnly }) => !isNewOnly).map(toName);

/** Real spellings of some names, which are listed in lower case. */
const SPELLED: Readonly<Record<string, string>> = {
  'agents.md': 'AGENTS.md',
  'claude.md': 'CLAUDE.md',
  'claude.local.md': 'CLAUDE.local.md',
  'gemini.md': 'GEMINI.md',
  jenkinsfile: 'Jenkinsfile',
  '.rprofile': '.Rprofile',
  'directory.build.rsp': 'Directory.Build.rsp',
  'directory.build.props': 'Directory.Build.props',
  'directory.solution.targets': 'Directory.Solution.targets',
  'cmakeuserpresets.json': 'CMakeUserPresets.json',
  gnumakefile: 'GNUmakefile',
};

/** Folders of which a file inside is what tools read. */
const INSIDE: Readonly<Record<string, string>> = {
  '.github/workflows': 'ci.yml',
  '.devcontainer': 'devcontainer.json',
  '.husky': 'pre-commit',
  '.zed': 'settings.json',
  '.kiro': 'hooks/x.kiro.hook',
  '.claude': 'settings.json',
  '.cursor': 'rules/x.mdc',
};

interface Plan {
  path: string;
  deed: Deed;
  sibling: string | undefined;
  content: string;
}

function toPlan(chance: Chance, isThere: boolean): Plan {
  const name = chance.pick(isThere ? NAMES : NEW_NAMES);
  const depth = chance.pick(DEPTHS);
  const spelled = SPELLED[name] ?? (chance.percent(10) ? name.toUpperCase() : name);
  const inside = INSIDE[name] ?? (chance.percent(15) ? 'inner/file' : undefined);
  const path = [depth, spelled, inside].filter((part) => part !== undefined && part !== '').join('/');
  return {
    path,
    deed: chance.pick(isThere ? ON_FILE : ON_NOTHING),
    sibling: chance.percent(70) ? chance.pick(SIBLINGS) : undefined,
    content: `${EVIL} ${chance.number(1e6)}\n`,
  };
}

/** The deed as a Python program: its names are put together at run time, so that nothing can be read from it. */
function toPython({ path, deed, sibling, content }: Plan): string {
  const encoded = Buffer.from(path).toString('hex');
  return [
    'import os, shutil',
    `p = bytes.fromhex('${encoded}').decode()`,
    "d = os.path.dirname(p) or '.'",
    `text = ${JSON.stringify(content)}`,
    ...(sibling === undefined
      ? []
      : [
          `s = os.path.join(d, ${JSON.stringify(sibling)})`,
          'os.makedirs(os.path.dirname(s), exist_ok=True)',
          "open(s, 'w').write('kept')",
        ]),
    ...DEEDS[deed],
  ].join('\n');
}

const MAKE = ['os.makedirs(d, exist_ok=True)'];
const REMOVE = [
  'shutil.rmtree(p) if os.path.isdir(p) and not os.path.islink(p) else (os.path.lexists(p) and os.remove(p))',
];
const DEEDS: Readonly<Record<Deed, readonly string[]>> = {
  create: [...MAKE, "open(p, 'w').write(text)"],
  modify: ["open(p, 'a').write(text)"],
  delete: REMOVE,
  mode: ['os.chmod(p, 0o777)'],
  'rename-away': ["os.rename(p, 'moved-away')"],
  'to-folder': [...REMOVE, 'os.makedirs(p)', "open(os.path.join(p, 'in'), 'w').write(text)"],
  'to-symlink': [
    ...MAKE,
    ...REMOVE,
    "open('payload.txt', 'w').write(text)",
    "os.symlink(os.path.relpath('payload.txt', d), p)",
  ],
  'parent-symlink': [
    'b = os.path.basename(p)',
    "os.makedirs('stash-of-x', exist_ok=True)",
    "open(os.path.join('stash-of-x', b), 'w').write(text)",
    "if d != '.':",
    '  shutil.rmtree(d, ignore_errors=True)',
    "  os.makedirs(os.path.dirname(d) or '.', exist_ok=True)",
    "  os.symlink(os.path.relpath('stash-of-x', os.path.dirname(d) or '.'), d)",
    'else:',
    '  os.path.lexists(p) and os.remove(p)',
    "  os.symlink('stash-of-x/' + b, p)",
  ],
  'via-rename': [
    "os.makedirs('stage', exist_ok=True)",
    "open('stage/x', 'w').write(text)",
    ...MAKE,
    "os.rename('stage/x', p)",
  ],
  folder: ['os.makedirs(p, exist_ok=True)', "open(os.path.join(p, 'in'), 'w').write(text)"],
};

/** Programs by which a file of Python code is run, each in a file of its own: no parser of commands reads them. */
const PROGRAMS: Readonly<Record<string, (name: string) => { file: string; text: string; command: string }>> = {
  python: (name) => ({ file: `${name}.txt`, text: '', command: `python3 ${name}.py` }),
  perl: (name) => ({ file: `${name}.pl`, text: `exec 'python3', '${name}.py';\n`, command: `perl ${name}.pl` }),
  node: (name) => ({
    file: `${name}.cjs`,
    text: `require('node:child_process').execFileSync('python3', ['${name}.py'], { stdio: 'inherit' });\n`,
    command: `node ${name}.cjs`,
  }),
  sh: (name) => ({ file: `${name}.sh`, text: `exec python3 ${name}.py\n`, command: `sh ${name}.sh` }),
};

export const protectedPlaces: AttackClass = {
  name: 'protected-places',
  generate(chance) {
    const isThere = chance.percent(40);
    const plan = toPlan(chance, isThere);
    const chosen: Switch = chance.pick(SWITCHES);
    const program = chance.pick(Object.keys(PROGRAMS));
    const steps = chosen.steps(plan.path);
    const scripts = { deed: toPython(plan), ...steps };
    const runs = new Map(Object.keys(scripts).map((name) => [name, PROGRAMS[program]!(name)]));
    const files = Object.fromEntries([
      ...Object.entries(scripts).map(([name, text]) => [`${name}.py`, text] as const),
      ...[...runs.values()].map(({ file, text }) => [file, text] as const),
    ]);
    const toCall = (name: string) => run(runs.get(name)?.command ?? name);
    const isFirst = chance.percent(50);
    let before = '';
    return {
      name: [plan.path, plan.deed, plan.sibling ?? 'alone', chosen.name, program, isFirst ? 'before' : 'after'].join(
        ' · ',
      ),
      files: {
        'README.md': 'hello\n',
        'src/a.txt': 'a\n',
        ...files,
        ...(isThere ? { [plan.path]: 'as it was\n' } : {}),
      },
      before: (scene) => {
        before = image(scene, plan);
      },
      calls: () => {
        const order = chosen.order ?? (isFirst ? [['step', 'deed']] : [['deed', 'step']]);
        const words = (name: string) => (name === 'step' ? (chosen.commands ?? ['step']) : [name]);
        return order.map((turn) => turn.flatMap(words).map(toCall));
      },
      effects: (scene) => {
        const effects: string[] = [];
        const after = image(scene, plan);
        if (after !== before) effects.push(`${plan.path} was ${before} and is ${after}`);
        const failed = scene.events.some((event) => event.type === 'workspace.snapshotted' && event.unreverted);
        if (failed && outcomeOf(scene.events)?.outcome !== 'failed') effects.push('a failed revert ended as done');
        return effects;
      },
    };
  },
};

/** What is at a protected path and below it, and by which links it is reached. */
function image(scene: Scene, { path }: Plan): string {
  const seen: string[] = [];
  const parts = path.split('/');
  for (const [i] of parts.entries()) {
    const at = parts.slice(0, i + 1).join('/');
    const stat = lstatSync(scene.path(at), { throwIfNoEntry: false });
    if (!stat) return 'nothing';
    if (stat.isSymbolicLink()) seen.push(`link to ${readlinkSync(scene.path(at))}`);
  }
  return [...seen, ...describe(scene.path(path))].join(' ');
}

function describe(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return ['nothing'];
  if (stat.isSymbolicLink()) return [`link ${readlinkSync(path)}`];
  if (stat.isFile()) return [`file ${(stat.mode & 0o777).toString(8)} ${JSON.stringify(readFileSync(path, 'utf8'))}`];
  if (!stat.isDirectory()) return ['special'];
  return ['folder', ...readdirSync(path).flatMap((name) => [name, ...describe(join(path, name))])];
}
