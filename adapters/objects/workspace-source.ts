import { KlausError } from '@klaus/core/protocol';
import { z } from 'zod';
import { hashSchema } from './hash.ts';
import type { ObjectStore } from './object-store.ts';

const sourceSchema = z.object({ version: z.literal(1), tree: hashSchema, git: hashSchema.optional() });

/** The state with which a workspace begins. */
export interface WorkspaceSource {
  tree: string;
  /** The state of git's own data. */
  git?: string;
}

/** Stores the state with which a workspace begins. The state must be archived. Returns false if it has one already. */
export function storeSource(objects: ObjectStore, workspace: string, { tree, git }: WorkspaceSource): Promise<boolean> {
  const body = JSON.stringify({ version: 1, tree, git });
  return objects.put(toSourceKey(workspace), Buffer.from(body));
}

/** Undefined for a workspace that begins empty. @throws KlausError `store.corrupt`. */
export async function findSource(objects: ObjectStore, workspace: string): Promise<WorkspaceSource | undefined> {
  const key = toSourceKey(workspace);
  const bytes = await objects.get(key);
  if (!bytes) return undefined;
  try {
    return sourceSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (cause) {
    throw new KlausError('store.corrupt', `The object ${key} was changed.`, {
      hint: 'Restore the object from a backup of the bucket.',
      cause,
    });
  }
}

function toSourceKey(workspace: string): string {
  return `workspaces/${workspace}/source`;
}
