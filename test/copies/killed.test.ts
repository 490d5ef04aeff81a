// Covers adapters/workspace/copies, sdk/copies: SIGKILL at every Git command of create, merge, keep and discard.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const PROGRAM = join(import.meta.dirname, 'copy-program.ts');
const MAX_COMMANDS = 100;
/** Every command, or a sample of them; it begins at another one for each step. */
const EVERY = Number(process.env['COPIES_KILL_EVERY'] ?? 10);
/** Kills its parent instead of running the command number `KILL_AT`, or after it. */
const WRAPPER = `#!/bin/sh
echo x >> "$COUNTER"
n=$(wc -l < "$COUNTER")
if [ "$n" -eq "$KILL_AT" ]; then kill -9 $PPID; exit 1; fi
if [ -n "$KILL_IN" ]; then case " $* " in *"$KILL_IN"*)
  "$REAL_GIT" show "$KILL_COMMIT:a.txt" > a.txt; "$REAL_GIT" show "$KILL_COMMIT:new.txt" > new.txt
  : > .git/index.lock; kill -9 $PPID; exit 1;;
esac; fi
exec "$REAL_GIT" "$@"
`;
const REAL_GIT = execFileSync('sh', ['-c', 'command -v git']).toString().trim();

const gitIn = ({ place }: TestEngine, folder: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: folder, env: place.env, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trimEnd();

async function createEngine(): Promise<TestEngine> {
  const engine = await createTestEngine({ script: { steps: [] }, files: { 'a.txt': 'one\n', 'b.txt': 'b\n' } });
  const { workspace } = engine.place;
  gitIn(engine, workspace, 'config', 'user.name', 'Ann');
  gitIn(engine, workspace, 'config', 'user.email', 'ann@localhost');
  writeFileSync(join(workspace, 'mine.txt'), 'mine\n');
  return engine;
}

/** Runs a step in a process. @returns True if it was killed. */
function runKilled({ place }: TestEngine, words: readonly string[], kill: Readonly<Record<string, string>>): boolean {
  const folder = join(dirname(place.workspace), 'wrapper');
  const counter = join(folder, 'counter');
  mkdirSync(folder, { recursive: true });
  rmSync(counter, { force: true });
  writeFileSync(join(folder, 'git'), WRAPPER);
  chmodSync(join(folder, 'git'), 0o755);
  const ran = spawnSync(process.execPath, [PROGRAM, ...words], {
    cwd: place.workspace,
    env: { ...place.env, PATH: `${folder}:${place.env['PATH']}`, REAL_GIT, COUNTER: counter, KILL_AT: '0', ...kill },
    encoding: 'utf8',
  });
  if (ran.signal === 'SIGKILL') return true;
  expect(ran.stderr).toBe('');
  expect(ran.status).toBe(0);
  return false;
}

/** Everything that is left of copies that have ended. */
const leftOver = (engine: TestEngine): string[] => {
  const copies = join(engine.place.home, 'copies');
  const files = existsSync(copies) ? readdirSync(copies).flatMap((project) => readdirSync(join(copies, project))) : [];
  return [
    ...files,
    ...gitIn(engine, engine.place.workspace, 'for-each-ref', '--format=%(refname)', 'refs/klaus/copies').split('\n'),
  ].filter(Boolean);
};

test('a killed create leaves nothing, or a complete copy with a session', { timeout: 240_000 }, async () => {
  await using engine = await createEngine();
  const { workspace } = engine.place;
  let isKilled = true;
  let at = 1;
  for (; isKilled && at < MAX_COMMANDS; at += EVERY) {
    isKilled = runKilled(engine, ['create'], { KILL_AT: String(at) });
    const copies = await engine.klaus.copies.list();
    expect(copies.every(({ isOrphaned, state }) => !isOrphaned && state === 'changed')).toBe(true);
    for (const { name } of copies) await engine.klaus.copies.discard(name, { force: true });
    expect(leftOver(engine)).toEqual([]);
    expect(gitIn(engine, workspace, 'status', '--porcelain')).toBe('?? mine.txt');
  }
  expect(at).toBeGreaterThan(10);
  expect(isKilled).toBe(false);
});

for (const { cases, tags } of splitCases(['merge', 'squash', 'keep', 'discard'] as const, 1))
  test.each(cases)(
    'a killed %s is completed or repeated, and no work is lost',
    { tags, timeout: 300_000 },
    async (step) => {
      await using engine = await createEngine();
      const { workspace } = engine.place;
      let isKilled = true;
      let at = 1 + (step.length % EVERY);
      for (; isKilled && at < MAX_COMMANDS; at += EVERY) {
        const name = `new-${at}.txt`;
        const session = await engine.klaus.open({ workingCopy: true });
        const [copy] = await engine.klaus.copies.list();
        writeFileSync(join(copy!.path, name), `work ${at}\n`);
        writeFileSync(join(workspace, 'b.txt'), `b ${at}\n`);
        gitIn(engine, workspace, 'commit', '-q', '-m', 'Next', 'b.txt');
        isKilled = runKilled(engine, [step, session.id], { KILL_AT: String(at) });
        const [left] = await engine.klaus.copies.list();
        if (left) {
          expect(left.state).toBe(left.ahead > 0 && left.changes === 0 ? 'ahead' : 'changed');
          if (step === 'keep') await engine.klaus.copies.keep(left.name);
          else if (step === 'discard') await engine.klaus.copies.discard(left.name);
          else expect(await engine.klaus.copies.merge(left.name, { method: step })).toMatchObject({ done: true });
        }
        const place = {
          merge: 'HEAD',
          squash: 'HEAD',
          keep: copy!.branch,
          discard: `refs/klaus/discarded/${new Date().toISOString().slice(0, 10)}/${copy!.name}/${copy!.branch}`,
        }[step];
        expect(gitIn(engine, workspace, 'show', `${place}:${name}`)).toBe(`work ${at}`);
        expect(gitIn(engine, workspace, 'status', '--porcelain')).toBe('?? mine.txt');
        expect(ofType(await Array.fromAsync(session.events()), 'workingCopy.ended')).toHaveLength(1);
        expect(leftOver(engine)).toEqual([]);
      }
      expect(at).toBeGreaterThan(8);
      expect(isKilled).toBe(false);
    },
  );

test(
  'a checkout of the original that is killed half-way is reverted, and the merge can be repeated',
  { tags: ['long'] },
  async () => {
    await using engine = await createEngine();
    const { workspace } = engine.place;
    const session = await engine.klaus.open({ workingCopy: true });
    const [copy] = await engine.klaus.copies.list();
    writeFileSync(join(copy!.path, 'a.txt'), 'changed\n');
    writeFileSync(join(copy!.path, 'new.txt'), 'new\n');
    writeFileSync(join(copy!.path, 'b.txt'), 'changed too\n');
    gitIn(engine, copy!.path, 'add', '-A');
    gitIn(engine, copy!.path, 'commit', '-q', '-m', 'Change');
    const commit = gitIn(engine, copy!.path, 'rev-parse', 'HEAD');
    expect(runKilled(engine, ['merge', session.id], { KILL_IN: ' --ff-only ', KILL_COMMIT: commit })).toBe(true);
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('changed\n');
    expect(await engine.klaus.copies.list()).toMatchObject([{ state: 'ahead' }]);
    expect(gitIn(engine, workspace, 'status', '--porcelain')).toBe('?? mine.txt');
    expect(await engine.klaus.copies.merge(session.id)).toMatchObject({ done: true });
    expect(gitIn(engine, workspace, 'status', '--porcelain')).toBe('?? mine.txt');
    expect(readFileSync(join(workspace, 'new.txt'), 'utf8')).toBe('new\n');
  },
);
