import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { KlausError } from '@klaus/core/protocol';
import { commitWork, type CommitOptions } from './commit-work.ts';
import { listRecords, readRecord, toKey, toProjectName, writeRecord, type CopyRecord } from './copy-record.ts';
import { checkIndex } from './check-index.ts';
import { git } from './git.ts';
import { readCopyFacts, type CopyFacts } from './copy-state.ts';
import { readCopyDiff } from './copy-diff.ts';
import { createBranch, toFreeBranch } from './copy-branch.ts';
import { createCopy, type CopyContent } from './create-copy.ts';
import { changedFiles, discardCopy, keepCopy, mergeCopy, prepare, showConflicts } from './end-copy.ts';
import { findConfiguredPlaces } from '../repositories/configured-places.ts';
import { inspectRepository, refuse } from './inspect-repository.ts';
import { recoverPublication } from './publish.ts';
import { pruneSaved, removeCopy, saveRest } from './remove-copy.ts';
import { findDiscarded } from './find-discarded.ts';

/** Characters of a session's id in names of folders and branches: the random ones. */
const SHORT_ID = 8;
/** How long a change of a copy waits for another one of its repository: 30 seconds. */
const LOCK_TRIES = 300;
const LOCK_PAUSE_MS = 100;

export interface CopiesOptions {
  /** `KLAUS_HOME`: absolute real path. */
  home: string;
  /** Acquires a lock, by its name below `home`; undefined while another process holds it. */
  lock: (name: string) => { release(options?: { remove: boolean }): void } | undefined;
}

/** A copy whose session does not exist yet. No other process changes it until `confirm` or `abort`. */
export interface NewCopy {
  record: CopyRecord;
  /** The folder in the copy that corresponds to the given one. */
  workspace: string;
  confirm(): void;
  abort(): Promise<void>;
}

export interface CreateInput extends CopyContent {
  session: string;
  /** A folder in the repository. */
  from: string;
}

interface CopiesFolder {
  folder: string;
  take: (record: Pick<CopyRecord, 'path'>) => { release(options?: { remove: boolean }): void };
}

/** The working copies of a state folder. */
export type Copies = ReturnType<typeof createCopies>;

export function createCopies({ home, lock }: CopiesOptions) {
  const folder = join(home, 'copies');
  const take = (record: Pick<CopyRecord, 'path'>) => {
    const held = lock(join('copies', toKey(record)));
    if (held) return held;
    throw new KlausError('store.busy', `Another process changes the working copy ${toKey(record)}.`, {
      hint: 'Repeat the command when it has ended.',
      retryable: true,
    });
  };
  return {
    list: (): CopyRecord[] => listRecords(realOf(folder)),
    facts: (record: CopyRecord): Promise<CopyFacts> => readCopyFacts(record),
    diff: readCopyDiff,
    /** The repository of the copy that contains a folder; undefined for any other folder. */
    repositoryOf: (path: string): string | undefined => findCopyOf(folder, path)?.record.repository,

    create: (given: CreateInput): Promise<NewCopy> => createNew({ folder, take }, given),

    /** Runs `work` while no other process changes the copy, with its present record. */
    async alone<T>(given: CopyRecord, work: (record: CopyRecord) => Promise<T>): Promise<T> {
      using _ = await waitForRepository(lock, given);
      const held = take(given);
      let isGone = false;
      try {
        const record = readRecord(given.path);
        if (!record) throw new KlausError('copy.missing', `The working copy ${toKey(given)} was removed.`);
        return await work(record);
      } finally {
        isGone = readRecord(given.path) === undefined;
        held.release({ remove: isGone });
      }
    },

    /** Deletes what killed processes left beside the records. */
    sweep(): void {
      for (const project of listFolder(folder))
        for (const name of listFolder(join(folder, project))) {
          const path = join(folder, project, name.replace(/(?:\.json\.new|\.lock)$/, ''));
          if (path.endsWith(name) || readRecord(path)) continue;
          const held = lock(join('copies', toKey({ path })));
          if (!held) continue;
          rmSync(`${path}.json.new`, { force: true });
          held.release({ remove: true });
        }
    },

    merge: mergeCopy,
    showConflicts,
    changedFiles,
    keep: keepCopy,
    discard: discardCopy,
    findDiscarded,
    /** @throws KlausError `copy.blocked` if another branch is in the way. */
    createBranch,
    /** Commits of the original, also the one that a copy began with. What Klaus saved of copies does not count. */
    async knownCommits({ repository, base }: Pick<CopyRecord, 'repository' | 'base'>): Promise<string[]> {
      const listed = await git(repository, ['for-each-ref', '--format=%(objectname) %(refname)']);
      const refs = listed.split('\n').map((line) => line.split(' ') as [commit: string, ref: string]);
      return [base, ...refs.flatMap(([commit, ref]) => (ref?.startsWith('refs/klaus/') === false ? [commit] : []))];
    },
    /** Paths of the original that its configuration names now. */
    placesOf: ({ repository }: Pick<CopyRecord, 'repository'>): Promise<string[]> => findConfiguredPlaces(repository),
    /** @throws KlausError `copy.blocked` for an index that cannot be checked. */
    checkIndex,
    async commit(record: CopyRecord, given: CommitOptions): Promise<string> {
      prepare(record);
      return commitWork(record, given);
    },
    /** Completes or reverts what a killed process started with the original. False: the copy was not ended. */
    recover: recoverPublication,

    /** Removes a copy that is `ending`, or that was not completed. */
    async remove(record: CopyRecord): Promise<string[]> {
      const { ending } = record;
      const isSaved = ending === undefined || ending.how === 'discarded';
      const { refs } = isSaved ? { refs: [] } : await saveRest(record, ending.head);
      await removeCopy(record);
      return refs;
    },
    /** Deletes old refs with saved work. @throws KlausError `copy.refused` outside of a repository. */
    async prune(folder: string, options: { dryRun: boolean }): Promise<string[]> {
      const { top } = await inspectRepository(folder);
      return pruneSaved(top, options);
    },
    confirm: (record: CopyRecord) => writeRecord({ ...record, phase: 'ready' }),
  };
}

/** @throws KlausError `copy.refused` for a folder from which no copy can start. */
async function createNew({ folder, take }: CopiesFolder, given: CreateInput): Promise<NewCopy> {
  if (!existsSync(given.from)) throw new KlausError('workspace.missing', `There is no folder ${given.from}.`);
  const from = await inspectRepository(given.from);
  if (from.top.startsWith(`${realOf(folder)}/`)) {
    throw refuse(`${from.top} is a working copy itself.`, { hint: 'Start in its repository.' });
  }
  const name = given.session.slice(-SHORT_ID).toLowerCase();
  const project = join(folder, toProjectName(from.top));
  mkdirSync(project, { recursive: true, mode: 0o700 });
  const path = join(realpathSync.native(project), name);
  const held = take({ path });
  const record: CopyRecord = {
    ...{ session: given.session, repository: from.top, common: from.common, path },
    branch: await toFreeBranch(from.top, `klaus/${name}`),
    ...{ base: from.head, objects: [], places: [], createdAt: new Date().toISOString(), phase: 'creating' },
    target: from.branch,
  };
  const abort = async (): Promise<void> => {
    await removeCopy(record);
    held.release({ remove: true });
  };
  try {
    writeRecord(record);
    const objects = await createCopy(record, from, given);
    const created = writeRecord({ ...record, objects, places: await findConfiguredPlaces(from.top) });
    return {
      record: created,
      workspace: join(path, from.below),
      confirm() {
        writeRecord({ ...created, phase: 'ready' });
        held.release();
      },
      abort,
    };
  } catch (error) {
    await abort();
    throw error;
  }
}

/** The shared object stores of the working copy that contains a folder; none for any other folder. */
export function findSharedObjects(home: string, workspace: string): string[] {
  return (findCopyOf(join(home, 'copies'), workspace)?.record.objects ?? []).filter((path) => existsSync(path));
}

/** The folder of the original that corresponds to one of a working copy; undefined for any other folder. */
export function findOriginal(home: string, workspace: string): string | undefined {
  const found = findCopyOf(join(home, 'copies'), workspace);
  return found && join(found.record.repository, found.below);
}

/** True for a copy that is complete and has not ended. @param name Last part of its path. */
export function hasCopy(home: string, name: string): boolean {
  const records = listRecords(realOf(join(home, 'copies')));
  return records.some(({ path, phase }) => basename(path) === name && phase === 'ready');
}

/** The copies whose end has begun. */
export function listEndingCopies(home: string): Pick<CopyRecord, 'session' | 'repository'>[] {
  return listRecords(realOf(join(home, 'copies'))).filter(({ phase }) => phase === 'ending');
}

/**
 * The working copy that contains a folder, and the path of the folder in it.
 *
 * @param copies Path of `$KLAUS_HOME/copies`.
 */
function findCopyOf(copies: string, path: string): { record: CopyRecord; below: string } | undefined {
  const folder = `${realOf(copies)}/`;
  if (!path.startsWith(folder)) return undefined;
  const [project = '', name = '', ...below] = path.slice(folder.length).split('/');
  const record = readRecord(join(folder, project, name));
  return record && { record, below: below.join('/') };
}

/** Copies of one repository are changed one after the other, because they change the same working tree. */
async function waitForRepository(lock: CopiesOptions['lock'], record: CopyRecord): Promise<Disposable> {
  const name = `copies-${toProjectName(record.repository)}`;
  for (let attempt = 1; ; attempt++) {
    const held = lock(name);
    if (held) return { [Symbol.dispose]: () => held.release({ remove: true }) };
    if (attempt === LOCK_TRIES) {
      throw new KlausError('store.busy', `Another process changes working copies of ${record.repository}.`, {
        hint: 'Repeat the command when it has ended.',
        retryable: true,
      });
    }
    await setTimeout(LOCK_PAUSE_MS);
  }
}

function listFolder(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync.native(path) : path;
}
