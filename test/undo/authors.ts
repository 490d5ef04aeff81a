import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import type { Session } from '@klaus/sdk';
import { createTestEngine, type TestEngine } from '../fixtures/engine.ts';
import { createChance, type Chance } from './chance.ts';
import { compareImages, readImage, type Image } from './image.ts';

type Name = 'A' | 'B' | 'user';

/** One change of a path. */
interface Write {
  by: Name;
  /** Null: it was deleted. */
  content: string | null;
  /** A command of these sessions that writes files ran at the time. */
  during: readonly Name[];
  /** Saved with an editor whose lock shows it. */
  hasTrace: boolean;
}

/** Numbers that show what a history contained. */
export interface AuthorCounts {
  histories: number;
  /** Paths that only the session changed. */
  own: number;
  /** Of those, in a history in which no command of another session ran beside one of the session. */
  ordinary: number;
  ordinaryUnclear: number;
  /** Paths that others changed last, and paths of several authors. */
  others: number;
  mixed: number;
}

const FILES = ['a.txt', 'b.txt', 'src/c.txt', 'src/d.txt', 'src/deep/e.txt', 'docs/f.txt', 'g.txt', 'h.txt'];
const NEW = ['new.txt', 'src/new.txt', 'made/one.txt', 'made/two.txt', 'docs/x/y.txt'];
const PROMPTS: Record<'A' | 'B', string> = { A: 'Work as alpha.', B: 'Work as beta.' };

/**
 * One random history of two sessions and a user who work in the same folder, also while commands run. Each session is
 * undone, and nothing of the others may be lost.
 *
 * @throws An error that names the loss.
 */
export async function liveAuthors(seed: number, counts: AuthorCounts): Promise<void> {
  const script: Script = { steps: [], fallback: { text: 'Done.' } };
  const files = Object.fromEntries(FILES.map((path) => [path, `${path} at first\n`]));
  await using engine = await createTestEngine({ script, files });
  const history = new AuthorHistory(engine, { script, chance: createChance(seed), files });
  await history.live();
  await history.check(counts);
}

class AuthorHistory {
  readonly #root: string;
  readonly #script: Script;
  readonly #chance: Chance;
  readonly #engine: TestEngine;
  readonly #files: Readonly<Record<string, string>>;
  readonly #writes = new Map<string, Write[]>();
  readonly #sessions = new Map<Name, Session>();
  readonly #turns = { A: 0, B: 0 };
  readonly #busy = new Set<Name>();
  #count = 0;
  #hasOverlap = false;

  constructor(
    engine: TestEngine,
    { script, chance, files }: { script: Script; chance: Chance; files: Readonly<Record<string, string>> },
  ) {
    this.#engine = engine;
    this.#root = engine.place.workspace;
    this.#script = script;
    this.#chance = chance;
    this.#files = files;
  }

  async live(): Promise<void> {
    for (const name of ['gate', 'ack']) spawnSync('mkfifo', [join(this.#root, `.${name}`)]);
    for (const name of ['A', 'B'] as const) this.#sessions.set(name, await this.#engine.klaus.open());
    for (let turns = 2 + this.#chance.number(3); turns > 0; turns--) {
      await this.#others(this.#chance.number(3));
      await this.#turnOfA();
    }
    await this.#others(this.#chance.number(3));
  }

  /** Edits and commands of one answer. Others act while its command waits. */
  async #turnOfA(): Promise<void> {
    const kind = this.#chance.number(4);
    if (kind === 0) return this.#edit('A');
    if (kind === 1) return this.#quietCommand();
    const parts = 1 + this.#chance.number(2);
    const plans = Array.from({ length: parts }, () => this.#plan(true));
    const wait = 'echo > .ack; read _ < .gate';
    const command = [...plans.map(({ shell }) => `${wait}; ${shell}`), 'echo > .ack'].join('; ');
    const running = this.#ask('A', [{ name: 'run_command', input: { command } }]);
    for (const plan of plans) {
      await this.#reached(running);
      this.#busy.add('A');
      await this.#others(this.#chance.number(3));
      this.#note('A', plan);
      const gate = await open(join(this.#root, '.gate'), 'w');
      await gate.write('\n');
      await gate.close();
    }
    await this.#reached(running);
    this.#busy.delete('A');
    await running;
  }

  /** A command that only waits cannot have changed anything. */
  async #quietCommand(): Promise<void> {
    const running = this.#ask('A', [{ name: 'run_command', input: { command: 'read _ < .gate' } }]);
    const gate = await Promise.race([open(join(this.#root, '.gate'), 'w'), running]);
    if (!gate) throw new Error('the command did not run');
    await this.#others(1 + this.#chance.number(2));
    await gate.write('\n');
    await gate.close();
    await running;
  }

  async #reached(running: Promise<unknown>): Promise<void> {
    const ack = readFile(join(this.#root, '.ack'));
    await Promise.race([
      ack,
      running.then(() => {
        throw new Error('the command ended early');
      }),
    ]);
  }

  /** Acts of the user and of the other session. */
  async #others(acts: number): Promise<void> {
    for (let left = acts; left > 0; left--) {
      const kind = this.#chance.number(5);
      if (kind < 2) this.#save(false);
      else if (kind === 2) this.#save(true);
      else if (kind === 3) await this.#edit('B');
      else await this.#command('B');
    }
  }

  #save(withEditor: boolean): void {
    const plan = this.#plan(!withEditor);
    const at = join(this.#root, plan.path);
    if (withEditor) {
      const lock = join(dirname(at), `.${plan.path.split('/').at(-1)!}.swp`);
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(lock, 'lock\n');
      this.#note(
        'user',
        {
          path: `${dirname(plan.path) === '.' ? '' : `${dirname(plan.path)}/`}.${plan.path.split('/').at(-1)!}.swp`,
          content: 'lock\n',
        },
        true,
      );
    }
    if (plan.content === null) rmSync(at);
    else {
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, plan.content);
    }
    this.#note('user', plan, withEditor);
  }

  async #edit(name: 'A' | 'B'): Promise<void> {
    const plan = this.#plan(true);
    const at = join(this.#root, plan.path);
    const old = existsSync(at) ? readFileSync(at, 'utf8') : undefined;
    const { path, content } = plan;
    const call =
      content === null
        ? { name: 'delete_file', input: { path } }
        : old === undefined
          ? { name: 'write_file', input: { path, content } }
          : { name: 'edit_file', input: { path, edits: [{ old: old.trimEnd(), new: content.trimEnd() }] } };
    await this.#ask(name, [call]);
    this.#note(name, plan);
  }

  async #command(name: 'A' | 'B'): Promise<void> {
    const plan = this.#plan(true);
    if (this.#busy.size > 0) this.#hasOverlap = true;
    this.#busy.add(name);
    this.#note(name, plan);
    await this.#ask(name, [{ name: 'run_command', input: { command: plan.shell } }]);
    this.#busy.delete(name);
  }

  /** What an author will write next. Deletes only what is there. */
  #plan(mayDelete: boolean): { path: string; content: string | null; shell: string } {
    const path = this.#chance.pick(this.#chance.percent(70) ? FILES : NEW);
    const isThere = existsSync(join(this.#root, path));
    if (mayDelete && isThere && this.#chance.percent(20)) return { path, content: null, shell: `rm -f ${path}` };
    const text = `text ${++this.#count}`;
    return { path, content: `${text}\n`, shell: `mkdir -p ${dirname(path)}; echo ${text} > ${path}` };
  }

  #note(by: Name, { path, content }: { path: string; content: string | null }, hasTrace = false): void {
    const during = [...this.#busy].filter((name) => name !== by);
    this.#writes.set(path, [...(this.#writes.get(path) ?? []), { by, content, during, hasTrace }]);
  }

  /** Lets a session make calls in one answer. */
  async #ask(name: 'A' | 'B', calls: { name: string; input: Record<string, unknown> }[]): Promise<undefined> {
    const session = this.#sessions.get(name)!;
    const turn = this.#turns[name];
    this.#turns[name] += 2;
    this.#script.steps.push({
      when: { user: name === 'A' ? 'alpha' : 'beta', turn },
      reply: { calls } as Script['steps'][number]['reply'],
    });
    await session.prompt(PROMPTS[name]);
    await session.advance();
    return undefined;
  }

  async check(counts: AuthorCounts): Promise<void> {
    counts.histories++;
    const names = (['A', 'B'] as const).filter((name) =>
      [...this.#writes.values()].flat().some(({ by }) => by === name),
    );
    for (const name of names) await this.#checkUndo(name, counts);
  }

  async #checkUndo(name: 'A' | 'B', counts: AuthorCounts): Promise<void> {
    const session = this.#sessions.get(name)!;
    const mine = readImage(this.#root);
    const { changes: shown } = await session.turnChanges('all');
    for (const { path } of shown) {
      const writes = this.#writes.get(path);
      if (writes?.every((write) => isProtected(write, name)))
        throw new Error(`${name}'s diff shows ${path}, which others wrote`);
    }
    const done = await session
      .restore({ kind: 'undo', turn: 1 }, { by: 'test', conflicts: 'keep' })
      .catch((error: unknown) => {
        if ((error as { code?: string }).code === 'undo.nothing') return undefined;
        throw error;
      });
    if (!done) return;
    if (!done.done) throw new Error(`${name} was not undone`);
    const found = readImage(this.#root);
    const left = new Set([...done.unclear, ...done.kept.map(({ path }) => path)]);
    for (const [path, writes] of this.#writes) this.#checkPath({ path, writes, name, mine, found, left }, counts);
    const again = await session.restore({ kind: 'redo' }, { by: 'test' });
    if (!again.done) throw new Error('not redone');
    const different = compareImages(readImage(this.#root), mine);
    if (different.length > 0) throw new Error(`redo of ${name}:\n${different.join('\n')}`);
  }

  #checkPath(
    {
      path,
      writes,
      name,
      mine,
      found,
      left,
    }: { path: string; writes: Write[]; name: Name; mine: Image; found: Image; left: ReadonlySet<string> },
    counts: AuthorCounts,
  ): void {
    const isUnchanged = found.get(path) === mine.get(path);
    const last = writes.at(-1)!;
    const own = writes.every(({ by }) => by === name);
    const doubtful = writes.some((write) => write.by !== name && !isProtected(write, name));
    const fail = (why: string): never => {
      throw new Error(
        `undo of ${name}: ${path} ${why}\n${JSON.stringify(writes)}\nnow ${found.get(path)}, before the undo ${mine.get(path)}`,
      );
    };
    if (own) {
      counts.own++;
      if (!this.#hasOverlap) counts.ordinary++;
      const isBack = this.#read(path) === (this.#files[path] ?? null);
      if (!isBack && left.has(path)) {
        if (!this.#hasOverlap) counts.ordinaryUnclear++;
      } else if (!isBack) fail('is not undone');
      return;
    }
    if (last.by !== name) {
      counts.others++;
      // What others left as the session had left it is a change of the session.
      const isSameAsOwn = writes.findLast(({ by }) => by === name)?.content === last.content;
      if (isProtected(last, name) && !isUnchanged && !isSameAsOwn) fail('was changed by others last and is lost');
      return;
    }
    counts.mixed++;
    // A step that is unclear stays, and with it what it wrote over.
    if (isUnchanged || doubtful || left.has(path)) return;
    const other = writes.findLast(({ by }) => by !== name)!;
    if (this.#read(path) !== other.content) fail('lost what others had written before');
  }

  #read(path: string): string | null {
    const at = join(this.#root, path);
    return existsSync(at) ? readFileSync(at, 'utf8') : null;
  }
}

/** False for a plain save of the user while a command of the session wrote files: nothing distinguishes them. */
function isProtected({ by, during, hasTrace }: Write, name: Name): boolean {
  if (by === name) return false;
  return by !== 'user' || hasTrace || !during.includes(name);
}
