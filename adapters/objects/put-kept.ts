import { GRACE_MS } from './grace.ts';
import type { ObjectBody, ObjectStore } from './object-store.ts';

/** What {@link putKept} writes. */
export interface KeptObject {
  key: string;
  body: ObjectBody;
  /** Milliseconds for which the garbage collection spares an object that no event names. Default {@link GRACE_MS}. */
  graceMs?: number;
}

/**
 * Stores an object that an event is going to name, and returns false if it existed. An existing one may be garbage that is
 * about to be deleted. It is written again when half of its time of grace has passed, so that a collection that began
 * before does not delete it.
 */
export async function putKept(objects: ObjectStore, { key, body, graceMs = GRACE_MS }: KeptObject): Promise<boolean> {
  if (await objects.put(key, body)) return true;
  await renewOld(objects, { key, body, graceMs }, Date.now());
  return false;
}

/** Writes an object again if it is missing, or if half of its time of grace has passed. */
export async function renewOld(
  objects: ObjectStore,
  { key, body, graceMs = GRACE_MS }: KeptObject,
  now: number,
): Promise<void> {
  const existing = await objects.stat(key);
  if (!existing || now - existing.writtenAt > graceMs / 2) await objects.renew(key, body);
}
