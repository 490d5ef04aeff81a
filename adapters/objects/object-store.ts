/** What a store of objects knows about one of them. */
export interface StoredObject {
  key: string;
  /** Bytes. */
  size: number;
  /** Unix milliseconds, by the clock of the object store. */
  writtenAt: number;
}

/** Bytes in memory, or a file of this machine with its size in bytes. */
export type ObjectBody = Uint8Array | { path: string; size: number };

/**
 * Objects that never change: a key names its content. Keys consist of letters, digits and `._-/`, at most 512.
 *
 * Every call throws KlausError `store.busy` while the object store cannot be reached, and `config` when its address,
 * bucket or keys are wrong.
 */
export interface ObjectStore {
  /** Stores an object unless its key exists. Durable when it resolves. Returns false if it existed. */
  put(key: string, body: ObjectBody): Promise<boolean>;
  /** Stores an object with a new time, even if its key exists: the next collection of garbage keeps it. */
  renew(key: string, body: ObjectBody): Promise<void>;
  /** Undefined when no such object exists. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Undefined when no such object exists. */
  stat(key: string): Promise<StoredObject | undefined>;
  /** The objects whose keys begin with a prefix, in the order of their keys. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** An object that does not exist is no error. */
  delete(key: string): Promise<void>;
  close(): void;
}
