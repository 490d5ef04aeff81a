import { ObjectBlobs, openS3, type S3Options } from '@klaus/adapters/objects';
import { createPostgresWorkerStore, type PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import { createKlausOver, type KlausOver, type StoreInput } from '../create-klaus.ts';
import type { KlausOptions } from '../klaus-options.ts';

export interface ClusterOptions extends KlausOptions {
  /** `postgres://user:password@host:port/database`. */
  database: string;
  /** Where blobs are stored. Default: files in the state folder, which all processes of the database must then share. */
  bucket?: S3Options;
}

/** Klaus over the store of several machines. Its store has no view, so it lists and follows sessions by queries. */
export type ClusterKlaus = KlausOver<PostgresWorkerStore>;

/**
 * Creates Klaus over Postgres, for a worker or for a program that opens sessions and sends commands. Settings, keys and
 * snapshots are those of the state folder of this machine.
 *
 * @throws KlausError `config` for a wrong setting, or when Postgres or the bucket refuses; `store.busy` when one of them
 *   cannot be reached.
 */
export function createClusterKlaus({ database, bucket, ...options }: ClusterOptions): Promise<ClusterKlaus> {
  return createKlausOver(options, (input) => openStore(input, { database, bucket }));
}

async function openStore(
  { home, configuration, redact }: StoreInput,
  { database, bucket }: { database: string; bucket: S3Options | undefined },
): Promise<PostgresWorkerStore> {
  const objects = bucket && (await openS3(bucket));
  try {
    const store = await createPostgresWorkerStore({
      url: database,
      home,
      ...(objects ? { blobs: new ObjectBlobs(objects) } : {}),
      maxToolResultSize: configuration.get('maxToolResultSize'),
      redact,
    });
    const close = async (): Promise<void> => {
      await store.close();
      objects?.close();
    };
    return { ...store, close };
  } catch (error) {
    objects?.close();
    throw error;
  }
}
