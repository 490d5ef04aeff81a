import { readFileSync } from 'node:fs';
import type { ObjectBody, ObjectStore, StoredObject } from '@klaus/adapters/objects';

/** Objects that survive every simulated process. */
export class MemoryObjects implements ObjectStore {
  readonly #objects = new Map<string, Uint8Array>();

  async put(key: string, body: ObjectBody): Promise<boolean> {
    const bytes = toBytes(body);
    if (this.#objects.has(key)) return false;
    this.#objects.set(key, bytes);
    return true;
  }

  async renew(key: string, body: ObjectBody): Promise<void> {
    this.#objects.set(key, toBytes(body));
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.#objects.get(key);
  }

  /** True if a key ends with this name. */
  hasNamed(name: string): boolean {
    return [...this.#objects.keys()].some((key) => key.endsWith(`/${name}`));
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    const bytes = this.#objects.get(key);
    return bytes && { key, size: bytes.length, writtenAt: Date.now() };
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    for (const [key, { length }] of this.#objects)
      if (key.startsWith(prefix)) yield { key, size: length, writtenAt: Date.now() };
  }

  async delete(key: string): Promise<void> {
    this.#objects.delete(key);
  }

  close(): void {}
}

function toBytes(body: ObjectBody): Uint8Array {
  return body instanceof Uint8Array ? Uint8Array.from(body) : new Uint8Array(readFileSync(body.path));
}
