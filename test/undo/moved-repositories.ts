// The generator of cases in which a command moves repositories, and what an undo must not lose.
//
// Dimensions: the kind of the repository (`SHAPES`) × its place (`PLACES`) × the way of moving it (`MOVES`) × one
// command, two commands or a script × the order of undo, redo and `undo --git`, with `klaus db gc` and another process
// between them (`ORDERS`). Before moved repositories were recognized, 26 of the first 29 cases that were run failed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { createChance, type Chance } from './chance.ts';
import { createGit, SHAPES } from './repository-shapes.ts';

const PLACES = ['lib', 'deps/lib', 'ignored/lib', 'node_modules/lib', 'a/b/c/d/e/f/g/lib', '$EXTRA/lib'];

/** Fails in a repository that commands cannot write, such as one in `node_modules`. */
const COMMIT = 'echo agent > agent.txt; git add agent.txt; git -c user.name=a -c user.email=a@b commit -qm agent; true';

/** Shell commands that move the repository `$L`; `$O` is another one beside it. Each line may be a command of its own. */
const MOVES: Readonly<Record<string, string>> = {
  rename: 'mv "$L" "$L"2',
  'rename twice': 'mv "$L" "$L"2\nmv "$L"2 "$L"3',
  'rename and return': 'mv "$L" "$L"2\nmv "$L"2 "$L"',
  'into a new folder': 'mkdir -p "$P/x/y"\nmv "$L" "$P/x/y/"',
  'the folder above': 'mkdir -p "$P/x"\nmv "$L" "$P/x/lib"\nmv "$P/x" "$P/z"',
  'into an ignored folder': 'mkdir -p "$P/ignored/deep"\nmv "$L" "$P/ignored/deep/lib"',
  'into node_modules': 'mkdir -p "$P/node_modules"\nmv "$L" "$P/node_modules/moved"',
  'to the top of the workspace': 'mv "$L" moved; true',
  'over another': 'mv "$O" "$O"-old\nmv "$L" "$O"',
  'another over it': 'mv "$L" "$L"-old\nmv "$O" "$L"',
  swap: 'mv "$L" "$L"-x; mv "$O" "$L"\nmv "$L"-x "$O"',
  'move and commit': `mv "$L" "$L"2\n(cd "$L"2; ${COMMIT})`,
  'commit and move': `(cd "$L"; ${COMMIT})\nmv "$L" "$L"2`,
  'move and drop refs':
    'mv "$L" "$L"2\n(cd "$L"2; git stash drop -q; git branch -D side; git update-ref -d refs/notes/commits; git reflog expire --expire=now --all; git gc -q --prune=now; true)',
  'copy and delete': 'cp -a "$L" "$L"2; true\nrm -rf "$L"; true',
  'clone and delete': 'git clone -q "$L" "$L"2\nrm -rf "$L"; true',
  'into the other folder': 'mv "$L" "$F/moved"; true',
  'move and another in its place': `mv "$L" "$L"2\ngit init -q "$L"; (cd "$L"; ${COMMIT})`,
  'move and a file in its place': 'mv "$L" "$L"2\nrmdir "$L" 2>/dev/null; test -e "$L" || echo text > "$L"',
  'both away': 'mkdir -p "$P/x"\nmv "$L" "$P/x/one"; mv "$O" "$P/x/two"',
  program: `python3 -c 'import os; os.rename(os.environ["L"], os.environ["L"] + "2")'`,
};

type Action = 'undo' | 'undo --git' | 'undo --step' | 'redo' | 'gc' | 'reopen';

const ORDERS: readonly (readonly Action[])[] = [
  ['undo'],
  ['undo --git'],
  ['undo', 'undo --git'],
  ['undo', 'redo', 'undo'],
  ['undo --git', 'redo', 'undo --git'],
  ['undo', 'gc', 'redo', 'gc', 'undo --git'],
  ['undo --step', 'undo --git'],
  ['undo --git', 'reopen', 'gc', 'redo'],
  ['gc', 'undo', 'reopen', 'redo', 'undo --git'],
];

export interface MovedCase {
  shape: string;
  place: string;
  move: string;
  form: 'one command' | 'two commands' | 'script';
  order: readonly Action[];
}

export function generateMovedCase(chance: Chance): MovedCase {
  const [shape, place, move] = [Object.keys(SHAPES), PLACES, Object.keys(MOVES)].map((all) => chance.pick(all));
  const form = chance.pick(['one command', 'two commands', 'script'] as const);
  return {
    shape: shape!,
    place: place!,
    move: move!,
    form: DENIED.has(move!) ? 'script' : form,
    order: chance.pick(ORDERS),
  };
}

export function seededMovedCase(seed: number): MovedCase {
  return generateMovedCase(createChance(seed * 7_919));
}

/** What git finds in a repository. */
interface Found {
  objects: ReadonlySet<string>;
  refs: string;
  /** Files that belong to the objects. */
  large: readonly string[];
}

/** Git folders and `.git` files below a folder, and bare repositories. */
function listRepositories(folder: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name === '.git') found.push(folder);
    else if (entry.isDirectory()) {
      if (existsSync(join(path, 'HEAD')) && existsSync(join(path, 'refs')) && existsSync(join(path, 'config')))
        found.push(path);
      else found.push(...listRepositories(path));
    }
  }
  return found;
}

/** What git finds; for no valid repository its error. */
function look(env: Readonly<Record<string, string>>, at: string): Found | string {
  const folder = existsSync(join(at, '.git')) ? join(at, '.git') : at;
  const git = `git --git-dir="${folder}"`;
  const script = [
    `${git} cat-file --batch-all-objects --batch-check='%(objectname)'`,
    `echo --`,
    `${git} for-each-ref --format='%(refname) %(objectname)' | grep -v refs/klaus`,
    `${git} symbolic-ref -q HEAD || ${git} rev-parse HEAD`,
  ].join('\n');
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { env: { ...env }, encoding: 'utf8' });
  if (status !== 0 || stderr.includes('fatal')) return stderr.trim();
  const [objects = '', refs = ''] = stdout.split('--\n');
  return { objects: new Set(objects.split('\n').filter(Boolean)), refs, large: listLarge(join(folder, 'lfs')) };
}

function listLarge(folder: string): string[] {
  return existsSync(folder) ? (readdirSync(folder, { recursive: true }) as string[]).toSorted() : [];
}

type World = ReadonlyMap<string, Found | string>;

/** The differences that lose something of `wanted`. */
function compare(wanted: World, now: World, { refs, keepsLarge }: { refs: boolean; keepsLarge: boolean }): string[] {
  return [...wanted].flatMap(([path, then]): string[] => {
    // It was no valid repository then, such as a worktree whose repository was moved.
    if (typeof then === 'string') return [];
    const found = now.get(path);
    if (found === undefined) return [`${path} is no repository`];
    if (typeof found === 'string') return [`${path}: ${found}`];
    const missing = [...then.objects].filter((id) => !found.objects.has(id)).length;
    return [
      ...(missing > 0 ? [`${path}: ${missing} of ${then.objects.size} objects are lost`] : []),
      ...(refs && found.refs !== then.refs ? [`${path}: refs are\n${found.refs}\nnot\n${then.refs}`] : []),
      ...(keepsLarge && then.large.some((name) => !found.large.includes(name))
        ? [`${path}: large files are lost`]
        : []),
    ];
  });
}

/** Moves that the gate denies as a command, and that a program does. */
const DENIED = new Set(['move and drop refs', 'into the other folder']);

/** Moves that copy, so that the copy is a new repository, and refs of the original change, which plain `undo` leaves. */
const COPIES = new Set(['copy and delete', 'clone and delete', 'into the other folder', 'to the top of the workspace']);

/** Plays a case. @returns What was lost, as sentences. */
export async function playMovedCase(moved: MovedCase): Promise<string[]> {
  const { shape, place, move, form, order } = moved;
  await using holder = await createTestEngine({ script: { steps: [] } });
  const base = realpathSync(dirname(holder.place.workspace));
  const workspace = join(base, 'workspace');
  const extra = join(base, 'extra');
  mkdirSync(extra);
  const git = createGit(holder.place.env);
  const at = place.startsWith('$EXTRA') ? join(extra, 'lib') : join(workspace, place);
  const other = join(dirname(at), 'other');
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(join(workspace, '.gitignore'), 'ignored\nnode_modules\n');
  SHAPES[shape]!(git, at);
  SHAPES['loose']!(git, other);
  const names = {
    L: at,
    O: other,
    P: dirname(at),
    F: at.startsWith(extra) ? workspace : extra,
  };
  const setup = Object.entries(names)
    .map(([name, value]) => `export ${name}='${value}'`)
    .join('; ');
  const source = MOVES[move]!.split('\n');
  const run = (command: string) => ({
    calls: [{ name: 'run_command', input: { command: `${setup}\n${command}` } }],
  });
  const commands = form === 'two commands' ? source : [source.join('\n')];
  const calls =
    form === 'script'
      ? [{ calls: [{ name: 'write_file', input: { path: 'step.sh', content: commands[0]! } }] }, run('sh step.sh')]
      : commands.map(run);
  await using engine = await createTestEngine({
    script: { steps: calls.map((reply) => ({ reply })), fallback: { text: 'Done.' } },
    settings: { 'sandbox.driver': 'bubblewrap', 'sandbox.folders': [`${extra}:rw`], approve: 'auto' },
  });
  const read = (): World =>
    new Map(
      [workspace, extra].flatMap(listRepositories).map((path) => [relative(base, path), look(holder.place.env, path)]),
    );
  const before = read();
  let session = await engine.klaus.open({ workspace });
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  const events = await Array.fromAsync(session.events());
  // What a move brings to a protected place is not kept, and the call says so.
  const failed = ofType(events, 'tool.finished').filter(
    ({ outcome, output }) => outcome !== 'ok' && !output.includes('[exit code 0]'),
  );
  if (failed.length > 0) return [`the case is no move: ${failed.map(({ outcome }) => outcome).join()}`];
  const after = read();
  const problems = [...findRemains([workspace, extra]), ...findNotices(events)].filter(
    (text) => !COPIES.has(move) || /objects\/klaus-|commondir/.test(text),
  );
  // A clone has no files of Git LFS, and a command can delete them: docs/undo.md says so.
  const keepsLarge = move !== 'clone and delete';
  let git1 = false;
  for (const action of order) {
    const result = await perform(engine, session.id, action, base);

    if (result !== undefined) problems.push(`${action}: ${result}`);
    if (action === 'undo --git') git1 = true;
    if (action === 'redo') {
      git1 = false;
      problems.push(...compare(after, read(), { refs: true, keepsLarge }).map((text) => `redo: ${text}`));
    } else if (action.startsWith('undo') && (action !== 'undo --step' || form === 'one command'))
      problems.push(
        ...compare(before, read(), { refs: git1 || !COPIES.has(move), keepsLarge }).map((text) => `${action}: ${text}`),
      );
    session = engine.klaus.handle(session.id) as typeof session;
  }
  return problems;
}

async function perform(engine: TestEngine, id: string, action: Action, base: string): Promise<string | undefined> {
  if (action === 'gc') {
    ageStates(engine.place.home);
    await engine.klaus.collectGarbage({ dryRun: false });
    return undefined;
  }
  if (action === 'reopen') {
    await engine.reopen();
    return undefined;
  }
  const request =
    action === 'redo'
      ? ({ kind: 'redo' } as const)
      : ({ kind: 'undo', git: action === 'undo --git', step: action === 'undo --step' } as const);
  const session = engine.klaus.handle(id);
  try {
    const result = await session.restore(request, { by: 'test' });
    return result.done ? undefined : `conflicts ${JSON.stringify(result.conflicts.map(({ path }) => path))}`;
  } catch (error) {
    // After a complete undo there is nothing left for the second one, and nothing after a return.
    if ((error as { code?: string }).code === 'undo.nothing') return undefined;
    return `${String(error)} in ${base}`;
  }
}

/** Makes all states older than the last hour, which `klaus db gc` keeps. */
function ageStates(home: string): void {
  const folder = join(home, 'snapshots');
  for (const name of readdirSync(folder)) {
    const file = join(folder, name, 'snapshots.db');
    if (!existsSync(file)) continue;
    const db = new DatabaseSync(file);
    db.exec('UPDATE states SET at = 0; UPDATE objects SET made = 0; UPDATE trees SET made = 0');
    db.close();
  }
}

/** Files of the sandbox that a command leaves behind. */
function findRemains(roots: readonly string[]): string[] {
  return roots.flatMap((root) =>
    (readdirSync(root, { recursive: true }) as string[])
      .filter((path) => /objects\/klaus-[^/]*$|\.klaus$|commondir$/.test(path) && !/worktrees\//.test(path))
      .map((path) => `${path} was left`),
  );
}

function findNotices(events: Parameters<typeof ofType>[0]): string[] {
  return ofType(events, 'notice')
    .map(({ text }) => text)
    .filter((text) => /commondir|HEAD|refs\//.test(text));
}
