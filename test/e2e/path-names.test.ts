// Covers core/policy/names, adapters/workspace/compare-names.ts: other spellings of the paths of a policy.
//
// Dimensions of a case: the protected file (a denied write, a denied read, a pattern of `secrets`, the scripts of
// package.json, a name with letters beyond ASCII) × the tool (write_file, edit_file, delete_file, move_file, read_file, a
// redirection, a program of the shell) × one to three changes of the spelling (case of all, of some or of one letter, long
// s, Kelvin sign, sharp s as two letters and as a capital, composed and decomposed, ignorable characters, trailing dots and
// spaces, NTFS streams, short names, empty and dot parts).
//
// The mounted file system decides what is an effect: the file has another content, or its content reached the model. On a
// file system that distinguishes all names, each spelling is another file, and no rule may stop it.
// `PATH_NAMES=500` runs 500 cases on both. Before names were folded, 44 of the 500 had an effect.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { matchesGlob } from '@klaus/core/policy';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { openFoldingMount, WITHOUT_FOLDING, type FoldingMount } from '../../adapters/system/fixtures/folding-mount.ts';
import { pollUntil } from '../fixtures/poll.ts';
import { play, sentTexts, toScript, type ToolCall } from '../fixtures/play.ts';
import { createChance, type Chance } from '../undo/chance.ts';

const COUNT = Number(process.env['PATH_NAMES'] ?? 20);
const PER_SESSION = 25;

const CANARY = 'canary of the content 4711';
const POLICY = `secrets:
  - "config/prod.yaml"
rules:
  - deny: { write: "migrations/**" }
  - deny: { read: "customers/*.txt" }
  - deny: { write: "straße/kaffé.sk" }
`;
const GLOBS = ['migrations/**', 'customers/*.txt', 'config/prod.yaml', 'straße/kaffé.sk'];
const TARGETS = ['migrations/c.sql', 'customers/c.txt', 'config/prod.yaml', 'straße/kaffé.sk', 'package.json'];
const PACKAGE = `${JSON.stringify({ name: 'x', scripts: { test: 'true' } })}\n`;
const contentOf = (path: string): string => (path === 'package.json' ? PACKAGE : `${CANARY}\n`);

type Change = (path: string, chance: Chance) => string;

const replaceOne = (path: string, chance: Chance, from: RegExp, to: (char: string) => string): string => {
  const at = [...path.matchAll(from)].map(({ index }) => index);
  if (at.length === 0) return path;
  const index = chance.pick(at);
  const char = String.fromCodePoint(path.codePointAt(index)!);
  return path.slice(0, index) + to(char) + path.slice(index + char.length);
};
const changePart = (path: string, chance: Chance, change: (part: string) => string): string => {
  const parts = path.split('/');
  const at = chance.number(parts.length);
  return parts.map((part, index) => (index === at ? change(part) : part)).join('/');
};

const CHANGES: readonly Change[] = [
  (path) => path.toUpperCase(),
  (path, chance) => changePart(path, chance, (part) => part.toUpperCase()),
  (path, chance) => replaceOne(path, chance, /\p{Ll}/gu, (char) => char.toUpperCase()),
  (path, chance) => Array.from(path, (char) => (chance.number(2) === 0 ? char.toUpperCase() : char)).join(''),
  (path, chance) => replaceOne(path, chance, /s/gi, () => 'ſ'),
  (path, chance) => replaceOne(path, chance, /k/gi, () => '\u212a'),
  (path) => path.replace('ß', 'ẞ'),
  (path) => path.normalize('NFD'),
  (path, chance) =>
    replaceOne(path, chance, /[a-z]/gi, (char) => char + chance.pick(['\u200c', '\u00ad', '\ufeff', '\u2060'])),
  (path, chance) => changePart(path, chance, (part) => part + chance.pick(['.', ' ', '..', '. '])),
  (path) => `${path}::$DATA`,
  (path, chance) =>
    changePart(path, chance, (part) => {
      const [name = '', ending] = part.split('.');
      return `${name.slice(0, 6).toUpperCase()}~1${ending === undefined ? '' : `.${ending.slice(0, 3).toUpperCase()}`}`;
    }),
  (path) => `./${path.replace('/', '//')}`,
];

const CALLS: readonly ((path: string, target: string) => ToolCall)[] = [
  (path) => ({ name: 'write_file', input: { path, content: toOther(path) } }),
  (path, target) => ({
    name: 'edit_file',
    input: { path, old_string: contentOf(target), new_string: toOther(path) },
  }),
  (path) => ({ name: 'delete_file', input: { path } }),
  (path) => ({ name: 'read_file', input: { path } }),
  (path) => ({ name: 'run_command', input: { command: `printf other > '${path}'` } }),
  (path) => ({ name: 'run_command', input: { command: `cat '${path}'` } }),
  (path) => ({ name: 'run_command', input: { command: `rm '${path}'` } }),
  (path) => ({ name: 'run_command', input: { command: `mv '${path}' moved` } }),
];
const toOther = (path: string): string =>
  /json/i.test(path) ? JSON.stringify({ name: 'x', scripts: { test: 'evil' } }) : 'other\n';

interface Case {
  name: string;
  target: string;
  path: string;
  call: ToolCall;
}

function toCase(index: number): Case {
  const chance = createChance(index + 1);
  const target = TARGETS[index % TARGETS.length]!;
  let path = target;
  for (let count = 1 + chance.number(3); count > 0 || path === target; count--)
    path = chance.pick(CHANGES)(path, chance);
  const call = chance.pick(target === 'package.json' ? CALLS.slice(0, 2) : CALLS)(path, target);
  return { name: `${index}: ${call.name} ${JSON.stringify(call.input)}`, target, path, call };
}

const CASES = Array.from({ length: COUNT }, (_, index) => toCase(index));

async function prepare(root: string): Promise<void> {
  const files = [
    ...TARGETS.map((target) => [target, contentOf(target)] as const),
    ['.klaus/policy.yaml', POLICY] as const,
  ];
  for (const [path, content] of files) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    // A driver in user space caches a name for a second after the file was removed by another spelling.
    await pollUntil(() => succeeds(() => writeFileSync(join(root, path), content)));
  }
}

function succeeds(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Runs the cases in a workspace. @returns The effects, and the calls that a rule stopped, by the name of the case. */
async function attack(root: string, cases: readonly Case[]): Promise<{ effects: string[]; stopped: string[] }> {
  const [effects, stopped]: string[][] = [[], []];
  for (let at = 0; at < cases.length; at += PER_SESSION) {
    const part = cases.slice(at, at + PER_SESSION);
    const script = toScript(part.map(({ call }) => call));
    await using engine = await createTestEngine({ script, settings: { workspace: root, 'undo.enabled': false } });
    await prepare(root);
    const session = await engine.klaus.open({ workspace: root, mode: 'auto' });
    for (const { name, target } of part) {
      await prepare(root);
      const before = sentTexts(engine.server).length;
      await play(engine.klaus, session, { user: 'none' });
      const file = join(root, target);
      const content = readFile(file);
      if (content !== contentOf(target) && target !== 'customers/c.txt' && target !== 'config/prod.yaml')
        effects!.push(`${name}: changed`);
      const results = ofType(await Array.fromAsync(session.events()), 'tool.finished').at(-1);
      const isRead = /read_file|cat /.test(name) && JSON.stringify(results).includes(CANARY);
      if (isRead && (target === 'customers/c.txt' || target === 'config/prod.yaml')) effects!.push(`${name}: read`);
      expect(sentTexts(engine.server).length).toBeGreaterThan(before);
      const decided = ofType(await Array.fromAsync(session.events()), 'gate.decided').at(-1);
      if (decided?.verdict !== 'allow') stopped!.push(name);
      rmSync(join(root, 'moved'), { force: true });
    }
  }
  return { effects: effects!, stopped: stopped! };
}

describe.skipIf(WITHOUT_FOLDING !== undefined)(`a file system that ignores case${WITHOUT_FOLDING ?? ''}`, () => {
  let mount: FoldingMount;
  beforeAll(() => void (mount = openFoldingMount()!));
  afterAll(() => mount[Symbol.dispose]());

  test(`no spelling of a name passes a policy (${COUNT})`, { timeout: 900_000 }, async () => {
    const { effects } = await attack(mount.path, CASES);
    expect(effects).toEqual([]);
  });
});

test(
  `a file system that distinguishes names: other files are not stopped (${COUNT})`,
  { timeout: 900_000 },
  async () => {
    await using engine = await createTestEngine({ script: { steps: [] } });
    const root = engine.place.workspace;
    // Some spellings are in the policy as well, or are the same file on every system. Klaus itself protects package.json.
    const others = CASES.filter(
      ({ path, target }) => target !== 'package.json' && !GLOBS.some((glob) => matchesGlob(normalize(path), glob)),
    );
    expect(others.length).toBeGreaterThan(COUNT / 2);
    const { effects, stopped } = await attack(root, others);
    expect({ effects, stopped }).toEqual({ effects: [], stopped: [] });
  },
);
