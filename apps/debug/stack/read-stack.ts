import { isNativeError, isProxy } from 'node:util/types';
import { textOfFunction } from '../render/intrinsics.ts';
import { isObject } from './is-object.ts';

/** True for an error of any realm. */
export function isError(value: unknown): value is Error {
  // oxlint-disable-next-line typescript/no-deprecated -- Node.js 22 has no Error.isError.
  return isNativeError(value);
}

/** In some versions of the runtime the stack is a getter, which has the same text in each realm. */
const stackGetter = Reflect.getOwnPropertyDescriptor(new Error('x'), 'stack')?.get;
const stackText = stackGetter && textOfFunction(stackGetter);

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
    if (found && key === 'stack' && isError(value) && isStackGetter(found.get)) return readNative(value);
    if (found) return undefined;
    holder = Reflect.getPrototypeOf(holder);
  }
  return undefined;
}

function isStackGetter(get: (() => unknown) | undefined): boolean {
  return get !== undefined && !isProxy(get) && textOfFunction(get) === stackText;
}

function readNative(error: Error): unknown {
  try {
    return Reflect.apply(stackGetter!, error, []);
  } catch {
    // A function in Error.prepareStackTrace failed.
    return undefined;
  }
}
