import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createSnapshots, type LocalSnapshots } from '@klaus/adapters/workspace';
import type { TreeChange, TreeId } from '@klaus/core/protocol';
import { createChance, type Chance } from './chance.ts';
import { compareImages, readImage, type Image } from './image.ts';
import { Playground } from './mutations.ts';

const CRASH_PROCESS = join(import.meta.dirname, 'crash-process.ts');

/** Number of operations in one history, which shows that every kind occurred. */
export interface Outcome {
  restored: number;
  conflicts: number;
  crashes: number;
}

interface State {
  tree: TreeId;
  image: Image;
}

class Failure extends Error {}

/** Runs one random history and checks every restore in it. @throws An error with the differences. */
export async function liveHistory(seed: number): Promise<Outcome> {
  const chance = createChance(seed);
  const base = realpathSync(mkdtempSync(join(tmpdir(), `klaus-undo-${seed}-`)));
  const root = join(base, 'workspace');
  const stateDir = join(base, 'snapshots');
  mkdirSync(root);
  try {
    return await new History({ root, stateDir, chance }).live();
  } finally {
    makeWritable(base);
    rmSync(base, { recursive: true, force: true });
  }
}

class History {
  readonly #root: string;
  readonly #stateDir: string;
  readonly #chance: Chance;
  readonly #play: Playground;
  readonly #outcome: Outcome = { restored: 0, conflicts: 0, crashes: 0 };

  constructor(place: { root: string; stateDir: string; chance: Chance }) {
    this.#root = place.root;
    this.#stateDir = place.stateDir;
    this.#chance = place.chance;
    this.#play = new Playground(place.root, place.chance);
  }

  async live(): Promise<Outcome> {
    this.#play.fill();
    if (this.#chance.percent(50)) this.#git('init', '-q');
    if (this.#chance.percent(50)) writeFileSync(join(this.#root, '.gitignore'), 'ignored.log\nbuild\nnode_modules\n');
    if (this.#chance.percent(4)) this.#play.makeBig();
    using snapshots = await createSnapshots(this.#root, { stateDir: this.#stateDir });
    const states: State[] = [];
    for (let turns = 2 + this.#chance.number(4); turns > 0; turns--) {
      if (this.#chance.percent(10)) await this.#crash([]);
      states.push({ tree: await snapshots.snapshot(), image: readImage(this.#root) });
      this.#play.change(1 + this.#chance.number(9));
      if (this.#chance.percent(10)) this.#git('add', '-A');
    }
    let now: State = { tree: await snapshots.snapshot(), image: readImage(this.#root) };
    for (let undos = 1 + this.#chance.number(3); undos > 0; undos--) {
      const goal = this.#chance.pick(states);
      if (this.#chance.percent(25)) await this.#crashRestore(snapshots, now, goal);
      else if (this.#chance.percent(65)) await this.#restoreOverUser(snapshots, now, goal);
      else await this.#restore(snapshots, now, goal);
      now = { tree: await snapshots.snapshot(), image: readImage(this.#root) };
      states.push(now);
    }
    return this.#outcome;
  }

  /** Without other changes the state is restored byte for byte, and so is the redo. */
  async #restore(snapshots: LocalSnapshots, now: State, goal: State): Promise<void> {
    const done = await snapshots.apply(await snapshots.changes(now.tree, goal.tree));
    if (!done.applied) throw new Failure(`conflicts without a user: ${JSON.stringify(done.conflicts)}`);
    this.#expect('after the restore', goal.image);
    this.#outcome.restored++;
    const back = await snapshots.apply(await snapshots.changes(done.after, done.before));
    if (!back.applied) throw new Failure(`conflicts in undoing an undo: ${JSON.stringify(back.conflicts)}`);
    this.#expect('after undoing the restore', now.image);
    if (!this.#chance.percent(50)) return;
    const again = await snapshots.apply(await snapshots.changes(back.after, back.before));
    if (!again.applied) throw new Failure(`conflicts in redoing: ${JSON.stringify(again.conflicts)}`);
    this.#expect('after redoing', goal.image);
    this.#outcome.restored++;
  }

  /** Changes of the user are kept, or reported as conflicts without any change. */
  async #restoreOverUser(snapshots: LocalSnapshots, now: State, goal: State): Promise<void> {
    const changes = await snapshots.changes(now.tree, goal.tree);
    this.#play.change(1 + this.#chance.number(3));
    // Otherwise changes of the user would rarely affect restored paths.
    if (changes.length > 0 && this.#chance.percent(60)) this.#play.touch(this.#chance.pick(changes).path);
    const mine = readImage(this.#root);
    const done = await snapshots.apply(changes);
    if (done.applied) {
      this.#expectMixed({ changes, mine, goal: goal.image, free: new Set() });
      this.#outcome.restored++;
      return;
    }
    this.#outcome.conflicts++;
    this.#expect('after a conflict', mine);
    for (const { path } of done.conflicts) {
      const isTouched = mine.get(path) !== now.image.get(path);
      const holds = [...mine.keys()].some((it) => it.startsWith(`${path}/`) && mine.get(it) !== now.image.get(it));
      if (!isTouched && !holds) throw new Failure(`${JSON.stringify(path)} is not a conflict: it was not changed`);
    }
    if (this.#chance.percent(50)) return;
    const overwrite = new Set(done.conflicts.map(({ path }) => path));
    const forced = await snapshots.apply(changes, { overwrite });
    if (!forced.applied) {
      this.#expect('after a second conflict', mine);
      return;
    }
    this.#expectMixed({ changes, mine, goal: goal.image, free: overwrite });
    const back = await snapshots.apply(await snapshots.changes(forced.after, forced.before));
    if (!back.applied) throw new Failure(`conflicts in undoing a forced undo: ${JSON.stringify(back.conflicts)}`);
    this.#expect('after undoing a forced restore', mine);
  }

  /** A killed restore leaves the state before or after it. */
  async #crashRestore(snapshots: LocalSnapshots, now: State, goal: State): Promise<void> {
    await this.#crash([now.tree, goal.tree]);
    using next = await createSnapshots(this.#root, { stateDir: this.#stateDir });
    const found = readImage(this.#root);
    const toNow = compareImages(found, now.image);
    const toGoal = compareImages(found, goal.image);
    if (toNow.length > 0 && toGoal.length > 0) {
      throw new Failure(`half a restore after a kill:\n${toGoal.join('\n')}\nand from before:\n${toNow.join('\n')}`);
    }
    const done = await next.apply(await snapshots.changes(now.tree, goal.tree));
    if (!done.applied) throw new Failure(`conflicts after a kill: ${JSON.stringify(done.conflicts)}`);
    this.#expect('after a kill and a second restore', goal.image);
    this.#outcome.restored++;
  }

  /** Runs a process and kills it at a random moment of its work. */
  async #crash(trees: readonly TreeId[]): Promise<void> {
    const child = spawn(process.execPath, [CRASH_PROCESS, this.#root, this.#stateDir, ...trees], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const over = once(child, 'exit');
    await Promise.race([once(child.stdout, 'data'), over]);
    await Promise.race([wait(this.#chance.number(25)), over]);
    child.kill('SIGKILL');
    const [, signal] = await over;
    if (signal === 'SIGKILL') this.#outcome.crashes++;
  }

  #expect(when: string, wanted: Image): void {
    const different = compareImages(readImage(this.#root), wanted);
    if (different.length > 0) throw new Failure(`${when}:\n${different.join('\n')}`);
  }

  /** Rows have their goal, unless they are free; everything else is as the user left it. */
  #expectMixed(at: { changes: readonly TreeChange[]; mine: Image; goal: Image; free: ReadonlySet<string> }): void {
    const found = readImage(this.#root);
    const rows = new Set(at.changes.map(({ path }) => path));
    for (const path of new Set([...found.keys(), ...at.mine.keys(), ...at.goal.keys()])) {
      const isRow = rows.has(path);
      const wanted = isRow ? at.goal.get(path) : at.mine.get(path);
      if (found.get(path) === wanted) continue;
      // A folder is kept if it has content of the user, and created if a child is restored.
      const isHolder = [...found.keys()].some((it) => it.startsWith(`${path}/`));
      if (isHolder && wanted === undefined) continue;
      // Content below a path that changed its type is removed with it, and is in `before`.
      if (!isRow && [...at.free].some((it) => path.startsWith(`${it}/`)) && found.get(path) === undefined) continue;
      throw new Failure(
        `beside the user: ${JSON.stringify(path)} is ${found.get(path) ?? 'nothing'} instead of ${wanted ?? 'nothing'}`,
      );
    }
    if (readdirSync(this.#root).some((name) => name.endsWith('.tmp'))) throw new Failure('something was left over');
  }

  #git(...words: string[]): void {
    spawnSync('git', words, { cwd: this.#root, stdio: 'ignore' });
  }
}

/** Makes the folder removable for any user. */
function makeWritable(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) makeWritable(join(folder, entry.name));
  }
}
