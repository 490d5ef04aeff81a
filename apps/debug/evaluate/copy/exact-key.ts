import { createHash } from 'node:crypto';
import { takeSnapshot, TooLargeError } from './snapshot.ts';

/**
 * A digest that is equal only for equal values. Undefined for values that are not data alone: functions, accessors,
 * proxies and instances of classes have parts that nothing can read.
 *
 * @param isStrict False: functions count by their text, and such parts are ignored.
 */
export function toExactKey(values: Readonly<Record<string, unknown>>, isStrict = true): string | undefined {
  try {
    const snapshot = takeSnapshot(values);
    const { nodes, shapes } = snapshot;
    const isData = nodes.every(
      ({ kind, accessors }) => kind !== 'function' && kind !== 'proxy' && accessors.length === 0,
    );
    if (isStrict && (!isData || shapes.length > 0)) return undefined;
    return createHash('sha256').update(JSON.stringify(snapshot, replaceValue)).digest('hex');
  } catch (error) {
    if (error instanceof TooLargeError) return undefined;
    throw error;
  }
}

/** What JSON would not distinguish. */
function replaceValue(_key: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (typeof value === 'bigint') return { bigint: String(value) };
  if (value === undefined) return { undefined: true };
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { number: Object.is(value, -0) ? '-0' : String(value) };
  return value;
}
