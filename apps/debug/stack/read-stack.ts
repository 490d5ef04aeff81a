import { isNativeError, isProxy } from 'node:util/types';
import { isObject } from './is-object.ts';

/** True for an error of any realm. */
export function isError(value: unknown): value is Error {
  // oxlint-disable-next-line typescript/no-deprecated -- Node.js 22 has no Error.isError.
  return isNativeError(value);
}

/** The getters of `stack` of the known realms. */
const nativeGetters = new Set<unknown>();
addErrors(Error);

/** Makes the stacks of a realm's errors readable. @param RealmError Its `Error`, before a program could replace it. */
export function addErrors(RealmError: ErrorConstructor): void {
  nativeGetters.add(Reflect.getOwnPropertyDescriptor(new RealmError('x'), 'stack')?.get);
}

/** The text of `error.stack`, without running a getter of the program. Undefined if there is none. */
export function readStack(error: unknown): string | undefined {
  const stack = readOwn(error, 'stack');
  return typeof stack === 'string' ? stack : undefined;
}

/** As {@link readOwn}, for a text or number. */
export function readText(error: unknown, key: string): string | undefined {
  const found = readOwn(error, key);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}

/** A data property of a value or of one of its prototypes. Getters and proxies are not read. */
export function readOwn(value: unknown, key: string): unknown {
  let holder: unknown = value;
  for (let depth = 0; depth < 10 && isObject(holder) && !isProxy(holder); depth++) {
    const found = Reflect.getOwnPropertyDescriptor(holder, key);
    if (found && 'value' in found) return found.value;
    // The stack of an error is a getter of the runtime in some versions.
    if (found && key === 'stack' && isError(value) && nativeGetters.has(found.get)) return readNative(value);
    if (found) return undefined;
    holder = Reflect.getPrototypeOf(holder);
  }
  return undefined;
}

function readNative(error: Error): unknown {
  try {
    return error.stack;
  } catch {
    // A function in Error.prepareStackTrace failed.
    return undefined;
  }
}
