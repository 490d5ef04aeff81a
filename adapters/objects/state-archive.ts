import { createHash } from 'node:crypto';
import { KlausError } from '@klaus/core/protocol';
import { z } from 'zod';
import { GRACE_MS } from './grace.ts';
import { hashSchema } from './hash.ts';
import type { ObjectStore } from './object-store.ts';
import { putKept, renewOld } from './put-kept.ts';

const archivedSchema = z.object({
  version: z.literal(1),
  tree: hashSchema,
  /** Names of all packs, in the order in which they are unpacked. */
  packs: z.array(hashSchema),
  /** Bytes of the packs. */
  bytes: z.number().int().nonnegative(),
  /** Bytes of the packs that hold a complete state. */
  fullBytes: z.number().int().nonnegative(),
  /** The states on which this one is based, the first one first, and how many of the packs each of them needs. */
  chain: z.array(z.object({ tree: hashSchema, packs: z.number().int().nonnegative() })).default([]),
  /** For a state of git's own data: the state with the objects of its repositories. */
  gitContents: hashSchema.optional(),
  session: z.string().optional(),
  fence: z.number().int().nonnegative().optional(),
});

/** A state of a workspace in an object store. */
export type ArchivedState = z.infer<typeof archivedSchema>;

/** Packs of a state after which the next one is stored completely: each is a request. */
const MAX_PACKS = 60;
/** The same for their bytes, as a multiple of the complete state. */
const MAX_GROWTH = 3;

interface SavedState {
  /** Name of the workspace: letters, digits, `-` and `_`. */
  workspace: string;
  tree: string;
  gitContents?: string;
  /** The session that made the state, and the fence of its lease, for a person who looks. Default: not stored. */
  session?: string;
  fence?: number;
  /** A state of the workspace whose packs come first. Default: `packs` is complete. */
  base?: ArchivedState;
  packs: AsyncIterable<Uint8Array>;
}

/** Name of a workspace in the archive, from its absolute path. */
export function toWorkspaceName(root: string): string {
  return toHash(Buffer.from(root)).slice(0, 32);
}

/** True if another state may be stored as the difference to this one. */
export function isBase(state: ArchivedState): boolean {
  return state.packs.length < MAX_PACKS && state.bytes < state.fullBytes * MAX_GROWTH;
}

/**
 * Stores a state of a workspace, and resolves when it is durable: an event may name it then. A state that is stored
 * already is not replaced.
 */
export async function archiveState(objects: ObjectStore, saved: SavedState): Promise<ArchivedState> {
  const { workspace, tree, base, packs } = saved;
  const names: string[] = [];
  let bytes = 0;
  for await (const pack of packs) {
    const name = toHash(pack);
    await putKept(objects, { key: toPackKey(workspace, name), body: pack });
    names.push(name);
    bytes += pack.length;
  }
  const state: ArchivedState = {
    version: 1,
    tree,
    packs: [...(base?.packs ?? []), ...names],
    bytes: (base?.bytes ?? 0) + bytes,
    fullBytes: base?.fullBytes ?? bytes,
    chain: base ? [...base.chain, { tree: base.tree, packs: base.packs.length }] : [],
    gitContents: saved.gitContents,
    session: saved.session,
    fence: saved.fence,
  };
  const body = Buffer.from(JSON.stringify(state));
  const isNew = await putKept(objects, { key: toStateKey(workspace, tree), body });
  return isNew ? state : ((await findState(objects, { workspace, tree })) ?? state);
}

/**
 * Writes the objects of a stored state again if half of their time of grace has passed, before an event names the state.
 *
 * @throws KlausError `store.corrupt` when one is missing or has other bytes.
 */
export async function renewState(
  objects: ObjectStore,
  { workspace, state }: { workspace: string; state: ArchivedState },
): Promise<void> {
  const key = toStateKey(workspace, state.tree);
  const stored = await objects.stat(key);
  if (stored && Date.now() - stored.writtenAt <= GRACE_MS / 2) return;
  for await (const pack of readPacks(objects, { workspace, state }))
    await renewOld(objects, { key: toPackKey(workspace, toHash(pack)), body: pack }, Date.now());
  await objects.renew(key, Buffer.from(JSON.stringify(state)));
}

/** Undefined when the state is not stored. @throws KlausError `store.corrupt`. */
export async function findState(
  objects: ObjectStore,
  { workspace, tree }: { workspace: string; tree: string },
): Promise<ArchivedState | undefined> {
  const key = toStateKey(workspace, tree);
  const bytes = await objects.get(key);
  if (!bytes) return undefined;
  try {
    const state = archivedSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    if (state.tree === tree) return state;
  } catch (error) {
    throw damaged(key, error);
  }
  throw damaged(key);
}

/** Number of packs at the beginning of a state that a worker does not need, because it has what they contain. */
export function countKnown(state: ArchivedState, has: (tree: string) => boolean): number {
  return state.chain.findLast(({ tree }) => has(tree))?.packs ?? 0;
}

/**
 * The packs of a state in their order.
 *
 * @param given.skip Number of packs at the beginning that are not read. Default 0.
 * @throws KlausError `store.corrupt` when one is missing or has other bytes.
 */
export async function* readPacks(
  objects: ObjectStore,
  { workspace, state, skip = 0 }: { workspace: string; state: ArchivedState; skip?: number },
): AsyncGenerator<Uint8Array> {
  for (const name of state.packs.slice(skip)) {
    const key = toPackKey(workspace, name);
    const pack = await objects.get(key);
    if (!pack || toHash(pack) !== name) throw damaged(key);
    yield pack;
  }
}

function toHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function toPackKey(workspace: string, name: string): string {
  return `workspaces/${workspace}/packs/${name}`;
}

function toStateKey(workspace: string, tree: string): string {
  return `workspaces/${workspace}/states/${tree}`;
}

function damaged(key: string, cause?: unknown): KlausError {
  return new KlausError('store.corrupt', `The object ${key} is missing or was changed.`, {
    hint: 'Restore the object from a backup of the bucket, or use an earlier state of the workspace.',
    cause,
  });
}
