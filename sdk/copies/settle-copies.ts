import type { Copies } from '@klaus/adapters/workspace';
import type { Engine, SessionStore } from '@klaus/core/agent';
import { isKlausError, KlausError, type EventBody } from '@klaus/core/protocol';
import { basename } from 'node:path';
import type { Projects } from '../engine/projects.ts';

export type CopyRecord = ReturnType<Copies['list']>[number];

export interface CopyParts {
  engine: Engine;
  store: SessionStore;
  copies: Copies;
  projects: Projects;
}

/** Records the end of a copy in the log of its session, once. */
export type RecordEnd = (record: CopyRecord) => Promise<void>;

/** Completes what killed processes have left. Copies that a live process changes are left alone. */
export async function settleCopies(parts: Pick<CopyParts, 'engine' | 'store' | 'copies'>): Promise<void> {
  const { copies, store } = parts;
  copies.sweep();
  for (const found of copies.list().filter(({ phase }) => phase !== 'ready')) {
    try {
      await copies.alone(found, async (record) => {
        if (record.phase === 'creating') {
          if ((await store.head(record.session)) === undefined) await copies.remove(record);
          else copies.confirm(record);
        } else if (record.phase === 'ending' && (await copies.recover(record))) {
          await holdSession(parts, record, (recordEnd) => finishCopy(copies, record, recordEnd));
        }
      });
    } catch (error) {
      // A live process works on it, or has just removed it.
      if (!isKlausError(error) || (error.code !== 'store.busy' && error.code !== 'copy.missing')) throw error;
    }
  }
}

/** Ends a copy that is `ending`. @returns Refs of the original with commits that no branch has. */
export async function finishCopy(copies: Copies, record: CopyRecord, recordEnd: RecordEnd): Promise<string[]> {
  await recordEnd(record);
  return copies.remove(record);
}

/**
 * Runs `work` while no process works in a copy. A deleted session needs no lease.
 *
 * @throws KlausError `store.busy` while a process works on a session in the copy, or a background process runs there.
 */
export async function holdSession<T>(
  { engine, store }: Pick<CopyParts, 'engine' | 'store'>,
  record: CopyRecord,
  work: (recordEnd: RecordEnd) => Promise<T>,
): Promise<T> {
  const { session } = record;
  await checkIdle({ engine, store }, record);
  if ((await store.head(session)) === undefined) return work(() => Promise.resolve());
  const lease = await engine.store.claim(session);
  if (!lease) throw busy(session);
  try {
    return await work(async (ended) => {
      if (await store.lastOf(session, ['workingCopy.ended'])) return;
      const { how = 'discarded', to: commit } = ended.ending ?? {};
      const body: EventBody = { type: 'workingCopy.ended', how, commit };
      await engine.store.append(session, [{ ...body, at: engine.clock.now() }], { lease });
      // Who ends a copy has decided about the work in it.
      await store.markSeen({ session, seq: (await store.head(session))?.seq ?? 0 });
    });
  } finally {
    await lease.release();
  }
}

async function checkIdle({ engine, store }: Pick<CopyParts, 'engine' | 'store'>, { session, path }: CopyRecord) {
  const others = await store.sessions({ workspace: path, limit: Number.MAX_SAFE_INTEGER });
  for (const { id } of others) if (await store.isClaimed(id)) throw busy(id);
  for (const id of new Set([session, ...others.map((row) => row.id)])) {
    const running = engine
      .openProcesses(id)
      .list()
      .find(({ state }) => state === 'running');
    if (!running) continue;
    throw new KlausError('store.busy', `The background process ${running.id} of session ${id} works in the copy.`, {
      hint: `Stop it with \`klaus stop ${id}/${running.id}\`.`,
    });
  }
}

function busy(session: string): KlausError {
  return new KlausError('store.busy', `A process works on session ${session}.`, {
    hint: `Stop it with \`klaus interrupt ${session}\`, or wait until it has ended.`,
  });
}

/** @throws KlausError `copy.missing` naming the candidates. */
export function findRecord(records: readonly CopyRecord[], name: string): CopyRecord {
  const found = records.filter((record) => isNamed(record, name));
  const [only] = found;
  if (only && found.length === 1) return only;
  if (!only) {
    throw new KlausError('copy.missing', `There is no working copy ${name}.`, { hint: '`klaus copies` lists them.' });
  }
  throw new KlausError('usage', `${name} names several working copies.`, {
    hint: `Name one of them: ${found.map((record) => basename(record.path)).join(', ')}.`,
  });
}

/** True if a name means a copy: its own name, or the beginning of the id of its session. */
export function isNamed({ path, session }: CopyRecord, name: string): boolean {
  return basename(path) === name.toLowerCase() || session.startsWith(name.toUpperCase());
}
