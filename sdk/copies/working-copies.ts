import { cutText } from '@klaus/core/cut-text';
import { checkPublication } from '@klaus/core/agent';
import { isSecretFile } from '@klaus/core/policy';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import { basename } from 'node:path';
import { writePullRequest } from './pull-request.ts';
import {
  findRecord,
  finishCopy,
  holdSession,
  isNamed,
  settleCopies,
  type CopyParts,
  type CopyRecord,
} from './settle-copies.ts';
import type { MergeConflict, MergeOptions, WorkingCopies, WorkingCopy } from './working-copy.ts';

/** Author of commits in a repository without an identity. */
const AUTHOR = { name: 'Klaus', email: 'klaus@localhost' };
/** Characters of the first line of a commit message. */
const MAX_TITLE = 72;

export function createWorkingCopies(parts: CopyParts): WorkingCopies {
  const { copies } = parts;
  /** Changes a copy while no process works in it, and removes it if `work` has ended it. */
  const change = async <T>(
    name: string,
    work: (record: CopyRecord) => Promise<T>,
  ): Promise<T & { saved: string[] }> => {
    await settleCopies(parts);
    return copies.alone(await findCopy(parts, name), (record) =>
      holdSession(parts, record, async (recordEnd) => {
        const result = await work(record);
        const after = copies.list().find(({ path }) => path === record.path);
        const saved = after?.phase === 'ending' ? await finishCopy(copies, after, recordEnd) : [];
        return { ...result, saved };
      }),
    );
  };
  const list = async (): Promise<WorkingCopy[]> => {
    await settleCopies(parts);
    const described = await Promise.all(copies.list().map((record) => describe(parts, record)));
    // Some may have ended since.
    const left = new Set(copies.list().map(({ path }) => path));
    return described.filter(({ path }) => left.has(path));
  };
  const discard: WorkingCopies['discard'] = async (name, { force = false } = {}) => {
    const { refs, saved, session } = await change(name, async (record) => {
      const options = { ...(await toCommitOptions(parts, record)), force };
      return { session: record.session, refs: await copies.discard(record, options) };
    });
    return { session, saved: [...refs, ...saved] };
  };
  return {
    list,
    repositoryOf: copies.repositoryOf,
    async findRepository(name) {
      try {
        return findRecord(copies.list(), name).repository;
      } catch (error) {
        if (!isKlausError(error) || error.code !== 'copy.missing') throw error;
        return (await findEnded(parts, name))?.copy.repository;
      }
    },
    discard,
    async diff(name) {
      await settleCopies(parts);
      const record = await findCopy(parts, name);
      const { configuration } = await parts.projects(record.repository);
      const [copy, { base, files }] = await Promise.all([
        describe(parts, record),
        copies.diff(record, { secrets: configuration.get('secrets.files') }),
      ]);
      return { copy, base, files };
    },
    merge: (name, options = {}) =>
      change(name, async (record) => {
        const { session } = record;
        const { method = 'merge', into, solution } = options;
        const given = { ...(await toCommitOptions(parts, record, options)), method, into, solution };
        await checkCopy(parts, record, given);
        const state = [parts.engine.home, ...(parts.engine.linkedState?.() ?? [])];
        const merged = await copies.merge(record, { ...given, state });
        if ('conflicts' in merged) {
          const conflicts = merged.conflicts.map((conflict) => hideSecrets(conflict, given.secrets));
          return { done: false as const, session, ...merged, conflicts };
        }
        return { done: true as const, session, ...merged };
      }),
    showConflicts: (name, options = {}) =>
      change(name, async (record) => {
        const { session, path, target } = record;
        const into = options.into ?? target ?? '';
        const given = { ...(await toCommitOptions(parts, record, options)), into };
        const files = await copies.showConflicts(record, given);
        return { session, path, files, prompt: toPrompt(files, into) };
      }),
    keep: async (name, options = {}) =>
      (await keepDiscarded(parts, name)) ??
      change(name, async (record) => {
        const given = await toCommitOptions(parts, record, options);
        await checkCopy(parts, record, given);
        const kept = await copies.keep(record, given);
        return { session: record.session, branch: record.branch, ...kept };
      }),
    async clean({ dryRun = false } = {}) {
      const removed = (await list()).filter(({ state, isOrphaned }) => isOrphaned || state === 'merged');
      const cleaned: Awaited<ReturnType<WorkingCopies['clean']>> = [];
      for (const copy of removed) cleaned.push({ ...copy, saved: dryRun ? [] : (await discard(copy.name)).saved });
      return cleaned;
    },
    prune: (folder, { dryRun = false } = {}) => copies.prune(folder, { dryRun }),
    pullRequest: (name, options = {}) =>
      change(name, async (record) => {
        const given = await toCommitOptions(parts, record, options);
        const commit = await checkCopy(parts, record, given);
        return writePullRequest(parts, record, { commit, into: options.into, title: given.message.split('\n')[0]! });
      }),
  };
}

/**
 * Commits the work of a copy and checks what would be published. @returns The commit.
 *
 * @throws KlausError `copy.blocked`.
 */
async function checkCopy(
  { copies, engine, store }: CopyParts,
  record: CopyRecord,
  given: Parameters<CopyParts['copies']['commit']>[1],
): Promise<string> {
  copies.checkIndex(record);
  const commit = await copies.commit(record, given);
  const isKnown = (await store.head(record.session)) !== undefined;
  if (!isKnown) return commit;
  const [known, places] = [await copies.knownCommits(record), await copies.placesOf(record)];
  const { session, path: folder, places: checkedPlaces } = record;
  await checkPublication(engine, session, { folder, commit, known, places, checkedPlaces });
  return commit;
}

/** @throws KlausError `copy.missing` for a copy that has ended, with how; and as {@link findRecord}. */
async function findCopy(parts: CopyParts, name: string): Promise<CopyRecord> {
  try {
    return findRecord(parts.copies.list(), name);
  } catch (error) {
    const ended = isKlausError(error) && error.code === 'copy.missing' ? await findEnded(parts, name) : undefined;
    if (!ended) throw error;
    const { session, how } = ended;
    throw new KlausError('copy.missing', `The working copy of session ${session} has ended: it was ${how}.`, {
      hint:
        how === 'discarded' ? '`klaus keep` creates a branch of what was saved.' : '`klaus copies` lists the others.',
    });
  }
}

/** The ended copy of the only session that a name means. */
async function findEnded({ store }: Pick<CopyParts, 'store'>, name: string) {
  const id = /^[0-9A-Z]+$/i.test(name) ? (await store.session(name.toUpperCase()))?.id : undefined;
  const ended = id === undefined ? undefined : await store.lastOf(id, ['workingCopy.ended']);
  const [opened] = id === undefined || !ended ? [] : await store.eventsOf(id, ['session.opened']);
  if (id === undefined || !ended || !opened?.workingCopy) return undefined;
  return { session: id, how: ended.how, copy: opened.workingCopy };
}

/** The branch of a discarded copy; undefined if no such copy is meant, or nothing was saved. */
async function keepDiscarded(parts: CopyParts, name: string) {
  const { copies } = parts;
  if (copies.list().some((record) => isNamed(record, name))) return undefined;
  const ended = await findEnded(parts, name);
  if (ended?.how !== 'discarded') return undefined;
  const { session, copy } = ended;
  const saved = await copies.findDiscarded(copy);
  if (!saved) return undefined;
  const [known, places] = [await copies.knownCommits(copy), await copies.placesOf(copy)];
  await checkPublication(parts.engine, session, {
    ...saved,
    folder: copy.repository,
    known,
    places,
    checkedPlaces: [],
  });
  await copies.createBranch(copy, saved.commit);
  return { session, branch: copy.branch, commit: saved.commit, notes: [] };
}

/** Contents of files with secrets are not reported. */
function hideSecrets(conflict: MergeConflict, secrets: readonly string[]): MergeConflict {
  return isSecretFile(conflict.path, secrets) ? { ...conflict, hunks: [] } : conflict;
}

/**
 * Removes the copies of sessions that were deleted. Their changes are saved on private refs. A copy that cannot be removed
 * now is listed as orphaned.
 */
export async function discardOf(copies: WorkingCopies, sessions: readonly string[]): Promise<void> {
  if (sessions.length === 0) return;
  for (const { name, session } of await copies.list()) {
    if (!sessions.includes(session)) continue;
    try {
      await copies.discard(name);
    } catch (error) {
      if (!isKlausError(error)) throw error;
    }
  }
}

async function describe({ copies, store }: CopyParts, record: CopyRecord): Promise<WorkingCopy> {
  const { session, repository, path, branch, base, target = null, createdAt, phase } = record;
  const isOrphaned = (await store.head(session)) === undefined;
  const facts = phase === 'ready' ? await copies.facts(record) : { state: 'unfinished' as const, ahead: 0, changes: 0 };
  const name = basename(path);
  return { session, name, repository, path, branch, base, target, createdAt, isOrphaned, ...facts };
}

/** The message of commits that Klaus makes: title or prompt of the session, and its id. */
async function toCommitOptions(
  { store, projects }: CopyParts,
  { session, branch, repository }: CopyRecord,
  { message }: Pick<MergeOptions, 'message'> = {},
) {
  const { configuration } = await projects(repository);
  const row = await store.session(session);
  const [line = ''] = (row?.title ?? row?.firstPrompt ?? '').trim().split('\n');
  const title = line === '' ? `Work on ${branch}` : cutText(line, MAX_TITLE);
  const name = configuration.get('git.userName') ?? AUTHOR.name;
  const email = configuration.get('git.userEmail') ?? AUTHOR.email;
  return {
    message: message ?? `${title}\n\nKlaus-Session: ${session}`,
    author: { name, email },
    secrets: configuration.get('secrets.files'),
  };
}

function toPrompt(files: readonly string[], into: string): string {
  return [
    `The branch ${into} was merged into this working copy, and these files have conflicts:`,
    ...files.map((file) => `- ${file}`),
    'Solve every conflict so that the intent of both sides is kept, and remove all conflict markers',
    '(<<<<<<<, =======, >>>>>>>). A file without markers was deleted on one side: keep or delete it.',
    'Then run the checks of the project that concern these files. Do not commit.',
  ].join('\n');
}
