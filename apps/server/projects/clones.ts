import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isKlausError, KlausError } from '@klaus/sdk';
import { cloneRepository, type CloneLimits, type CloneSource } from '@klaus/sdk/clone';
import type { CloneView } from '../contract/index.ts';
import { toProblem } from '../http/problem.ts';

/** Most clones at the same time, and most ended ones that are listed. */
const MAX_RUNNING = 3;
const MAX_ENDED = 20;
/** File with the path of a copy on another disk. */
const COPY = 'copy';

export interface ClonesOptions {
  /** Absolute path of a folder in which no sandbox can write. It holds the unfinished clones. */
  folder: string;
  /** Called with the path of a complete clone. */
  onDone: (path: string) => void;
  /** Called with what is not a failure of Git. */
  onError: (error: unknown) => void;
}

interface Clone {
  view: CloneView;
  end: AbortController;
  work: Promise<void>;
}

/**
 * Clones of repositories. Git works in a folder of the server, and the result is moved to its place when it is complete:
 * a cancel, a failure or a kill leaves nothing there.
 */
export class Clones {
  readonly #options: ClonesOptions;
  readonly #clones = new Map<string, Clone>();

  constructor(options: ClonesOptions) {
    this.#options = options;
    this.#removeUnfinished();
  }

  list(): CloneView[] {
    return [...this.#clones.values()].map(({ view }) => view);
  }

  /** @throws KlausError `usage`. */
  get(id: string): CloneView {
    return this.#find(id).view;
  }

  /**
   * @param path Absolute real path of the new folder. The caller has checked that it is allowed.
   * @param limits What the clone may use of the machine. Default: all that the user of the server can.
   * @throws KlausError `usage` if it exists, `store.busy` with too many clones.
   */
  start(source: CloneSource, path: string, limits?: CloneLimits): CloneView {
    checkFree(path);
    const running = [...this.#clones.values()].filter(({ view }) => view.state === 'running');
    if (running.some(({ view }) => view.path === path)) {
      throw new KlausError('store.busy', `A clone into ${path} is in progress.`, { hint: 'Wait for it or cancel it.' });
    }
    if (running.length >= MAX_RUNNING) {
      throw new KlausError('store.busy', `The server already clones ${MAX_RUNNING} repositories.`, {
        hint: 'Wait for one of them or cancel one.',
        retryable: true,
      });
    }
    const id = randomUUID();
    const view: CloneView = {
      id,
      path,
      source: source.url,
      state: 'running',
      phase: null,
      percent: null,
      problem: null,
    };
    const clone: Clone = { view, end: new AbortController(), work: Promise.resolve() };
    this.#clones.set(id, clone);
    clone.work = this.#run(clone, source, limits);
    this.#forgetOld();
    return view;
  }

  /** Cancels a running clone. No effect on an ended one. @throws KlausError `usage`. */
  async cancel(id: string): Promise<CloneView> {
    const clone = this.#find(id);
    clone.end.abort();
    await clone.work;
    return clone.view;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clones.keys()].map((id) => this.cancel(id)));
  }

  async #run(clone: Clone, source: CloneSource, limits?: CloneLimits): Promise<void> {
    const { view, end } = clone;
    const folder = join(this.#options.folder, view.id);
    const change = (part: Partial<CloneView>): void => void (clone.view = { ...clone.view, ...part });
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const result = join(folder, basename(view.path));
      await cloneRepository({
        source,
        folder: result,
        signal: end.signal,
        limits,
        onProgress: ({ phase, percent }) => change({ phase, percent: percent ?? null }),
      });
      checkFree(view.path);
      this.#move(result, { folder, path: view.path });
      change({ state: 'done', percent: 100 });
      this.#options.onDone(view.path);
    } catch (error) {
      if (!isKlausError(error)) this.#options.onError(error);
      const isCancelled = end.signal.aborted && isKlausError(error) && error.code === 'cancelled';
      change(isCancelled ? { state: 'cancelled' } : { state: 'failed', problem: toProblem(error) });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #move(from: string, { folder, path }: { folder: string; path: string }): void {
    try {
      renameSync(from, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw toKlausError(error, path);
      // Another disk. The name is recorded first, so that the next start removes a copy that a kill left.
      const copy = join(dirname(path), `.${basename(path)}-${basename(folder)}`);
      writeFileSync(join(folder, COPY), copy, { mode: 0o600 });
      try {
        cpSync(from, copy, { recursive: true, verbatimSymlinks: true });
        renameSync(copy, path);
      } catch (failure) {
        rmSync(copy, { recursive: true, force: true });
        throw toKlausError(failure, path);
      }
    }
  }

  #find(id: string): Clone {
    const found = this.#clones.get(id);
    if (found) return found;
    throw new KlausError('usage', `There is no clone ${id.slice(0, 100)}.`, {
      hint: '`GET /api/clones` lists them.',
    });
  }

  #forgetOld(): void {
    const ended = [...this.#clones].filter(([, { view }]) => view.state !== 'running');
    for (const [id] of ended.slice(0, -MAX_ENDED)) this.#clones.delete(id);
  }

  /** Removes what a killed server left. */
  #removeUnfinished(): void {
    const { folder } = this.#options;
    if (!existsSync(folder)) return;
    for (const name of readdirSync(folder)) {
      const record = join(folder, name, COPY);
      if (existsSync(record)) rmSync(readFileSync(record, 'utf8'), { recursive: true, force: true });
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

/** @throws KlausError `usage`. */
function checkFree(path: string): void {
  if (!existsSync(path)) return;
  throw new KlausError('usage', `${path} exists.`, { hint: 'Choose another name for the new folder.' });
}

function toKlausError(cause: unknown, path: string): KlausError {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return new KlausError('tool.failed', `${path} could not be written: ${code}.`, {
    hint: 'Check that the user of the server may write in the parent folder, and that the disk has space.',
    cause,
  });
}
