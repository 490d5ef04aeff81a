import {
  fromRecord,
  NO_HEAD,
  verifyRecords,
  type ChainHead,
  type SessionMove,
  type SessionRest,
  type SessionTransfer,
} from '@klaus/adapters/store';
import { splitState, type Store } from '@klaus/core/agent';
import { KlausError, type TreeId } from '@klaus/core/protocol';
import { statesOf } from '../../engine/named-states.ts';
import { relate, type CopyFacts } from './judge-copy.ts';

/** A store at one end of a copy. */
export interface CopyEnd {
  /** How events and messages name it. */
  place: string;
  transfer: SessionTransfer;
  blobs: Pick<Store, 'writeBlob' | 'readBlob'>;
}

export interface CopyParts {
  from: CopyEnd;
  to: CopyEnd;
  /** Copies a state of a workspace, given its absolute path. False if the source does not have it. */
  copyState: (root: string, tree: TreeId) => Promise<boolean>;
  /** A door. */
  by: string;
}

/** What is known of a session before it is copied. */
export interface CopyPlan {
  facts: CopyFacts;
  source: SessionRest;
  target: SessionRest | undefined;
  /** Events that the target does not have. */
  events: number;
}

/** What was copied of a session in addition to its events. */
export interface CopiedParts {
  blobs: number;
  missingBlobs: string[];
  states: number;
  missingStates: number;
}

export async function planSession({ from, to }: CopyParts, session: string): Promise<CopyPlan> {
  const [source, target, sourceMove, targetMove] = await Promise.all([
    from.transfer.read(session),
    to.transfer.read(session),
    from.transfer.moveOf(session),
    to.transfer.moveOf(session),
  ]);
  if (!source) throw new KlausError('usage', `The session ${session} was deleted at ${from.place}.`);
  const heads = { source: source.head, target: target?.head ?? NO_HEAD };
  const relation = await relate(heads, {
    source: (seq) => from.transfer.hashOf(session, seq),
    target: (seq) => to.transfer.hashOf(session, seq),
  });
  const known = new Set(target?.commands.map(({ id }) => id));
  const unknownCommands = source.commands.filter(({ id, command }) => command !== null && !known.has(id)).length;
  const facts = { session, relation, sourceMove, targetMove, unknownCommands, from: from.place, to: to.place };
  return { facts, source, target, events: Math.max(0, heads.source.seq - heads.target.seq) };
}

export interface ArrivalDetails {
  move: SessionMove;
  /** The end of the host chain of the source. */
  host: ChainHead;
  /** Hashes in that chain, by session. */
  knownHashes: Awaited<ReturnType<SessionTransfer['hostChain']>>['knownHashes'];
}

/** Copies what a session refers to, and then the session in one transaction. */
export async function copyParts(
  parts: CopyParts,
  { facts: { session }, source, target }: CopyPlan,
  { move, host, knownHashes }: ArrivalDetails,
): Promise<CopiedParts> {
  const { from, to, by } = parts;
  const base = target?.head ?? NO_HEAD;
  const blobs = await copyBlobs(parts, source, target);
  const states = await copyStates(parts, session, { after: base.seq, until: source.head.seq });
  const pages = from.transfer.records(session, { after: base.seq, until: source.head.seq });
  const known = knownHashes.get(session);
  const records = verifyRecords(pages, { session, base, head: source.head, known });
  await to.transfer.store({ session, rest: source, base, records, move, host, by });
  return { ...blobs, ...states };
}

async function copyBlobs(
  { from, to }: CopyParts,
  source: SessionRest,
  target: SessionRest | undefined,
): Promise<Pick<CopiedParts, 'blobs' | 'missingBlobs'>> {
  const there = new Set(target?.blobs);
  const missingBlobs: string[] = [];
  let blobs = 0;
  for (const hash of source.blobs) {
    if (there.has(hash)) continue;
    const bytes = await from.blobs.readBlob(hash);
    if (!bytes) {
      missingBlobs.push(hash);
      continue;
    }
    const writer = to.blobs.writeBlob();
    writer.write(bytes);
    await writer.finish();
    blobs += 1;
  }
  return { blobs, missingBlobs };
}

/** Copies the states that records name, before the records. */
async function copyStates(
  { from, copyState }: CopyParts,
  session: string,
  { after, until }: { after: number; until: number },
): Promise<Pick<CopiedParts, 'states' | 'missingStates'>> {
  let roots: string[] = [];
  const named = new Set<TreeId>();
  const read = async (range: { after: number; until: number }, takesStates: boolean): Promise<void> => {
    for await (const page of from.transfer.records(session, range)) {
      for (const { seq, record } of page) {
        const event = fromRecord(record, { file: from.place, place: `record ${seq} of session ${session}` });
        if (event.type === 'session.opened') roots = [event.workspace, ...(event.writable ?? [])];
        if (takesStates) for (const tree of statesOf(event)) named.add(tree);
      }
    }
  };
  if (after > 0) await read({ after: 0, until: 1 }, false);
  await read({ after, until }, true);
  const counts = { states: 0, missingStates: 0 };
  for (const tree of named) {
    for (const [index, state] of splitState(tree).entries()) {
      const isThere = await copyState(roots[index] ?? roots[0] ?? '', state);
      counts[isThere ? 'states' : 'missingStates'] += 1;
    }
  }
  return counts;
}
