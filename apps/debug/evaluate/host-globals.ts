import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What belongs to the language: each realm has its own. */
const LANGUAGE = new Set([
  ...'Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON Math Intl ArrayBuffer Atomics Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float16Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set Iterator WeakMap WeakSet WeakRef Proxy Reflect FinalizationRegistry SharedArrayBuffer decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN console SuppressedError DisposableStack AsyncDisposableStack WebAssembly'.split(
    ' ',
  ),
]);
/** Accessors of the runtime that only load something. */
const LOADED =
  'crypto fetch performance Blob FormData Headers Request Response MessageChannel TextEncoder TextDecoder URL URLSearchParams navigator process Buffer structuredClone queueMicrotask atob btoa'.split(
    ' ',
  );

/** The globals of the program that its modules see, and `require` relative to the working folder. */
export function readHostGlobals(): Record<string, unknown> {
  const globals: Record<string, unknown> = { require: createRequire(join(process.cwd(), 'klendathu-eval.js')) };
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (LANGUAGE.has(name)) continue;
    const found = Object.getOwnPropertyDescriptor(globalThis, name)!;
    if ('value' in found) globals[name] = found.value;
    else if (LOADED.includes(name)) globals[name] = (globalThis as Record<string, unknown>)[name];
  }
  return globals;
}
