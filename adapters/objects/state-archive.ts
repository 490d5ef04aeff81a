import { createHash } from 'node:crypto';
import { KlausError } from '@klaus/core/protocol';
import { z } from 'zod';
import type { ObjectStore } from './object-store.ts';

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);
const archivedSchema = z.object({
  version: z.literal(1),
  tree: hashSchema,
  /** Names of all packs, in the order in which they are unpacked. */
  packs: z.array(hashSchema),
  /** Bytes of the packs. */
  bytes: z.number().int().nonnegative(),
  /** Bytes of the packs that hold a complete state. */
  fullBytes: z.number().int().nonnegative(),
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
  /** The session that made the state, and the fence of its lease, for a person who looks. Default: not stored. */
  session?: string;
  fence?: number;
  /** A state of the workspace whose packs come first. Default: `packs` is complete. */
  base?: ArchivedState | undefined;
  packs: AsyncIterable<Uint8Array>;
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
  const { workspace, tree, session, fence, base, packs } = saved;
  const names: string[] = [];
  let bytes = 0;
  for await (const pack of packs) {
    const name = toHash(pack);
    await objects.put(toPackKey(workspace, name), pack);
    names.push(name);
    bytes += pack.length;
  }
  const state: ArchivedState = {
    version: 1,
    tree,
    packs: [...(base?.packs ?? []), ...names],
    bytes: (base?.bytes ?? 0) + bytes,
    fullBytes: base?.fullBytes ?? bytes,
    ...(session === undefined ? {} : { session }),
    ...(fence === undefined ? {} : { fence }),
  };
  const isNew = await objects.put(toStateKey(workspace, tree), Buffer.from(JSON.stringify(state)));
  return isNew ? state : ((await findState(objects, { workspace, tree })) ?? state);
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

/**
 * The packs of a state in their order. Of those that `known` has too, none is read.
 *
 * @throws KlausError `store.corrupt` when one is missing or has other bytes.
 */
export async function* readPacks(
  objects: ObjectStore,
  { workspace, state, known }: { workspace: string; state: ArchivedState; known?: ArchivedState | undefined },
): AsyncGenerator<Uint8Array> {
  const have = new Set(known?.packs);
  for (const name of state.packs) {
    if (have.has(name)) continue;
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
