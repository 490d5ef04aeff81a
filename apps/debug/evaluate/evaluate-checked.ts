import { isPromise } from 'node:util/types';
import { peekPromise } from '../render/peek-promise.ts';
import type { Outcome, Realm } from './realm.ts';
import { readField } from './read-field.ts';
import { limitOwnSizes, readMost } from './limit-sizes.ts';
import { addList } from './meter/lists.ts';
import { meterCode } from './meter/meter-code.ts';
import { findDeclared, splitCode, type SplitCode } from './split-code.ts';

/** The variable of a realm that holds `this` of a frame. */
export const THIS = '__this';

export interface CheckedOptions {
  timeoutMs: number;
  /** Runs it under a limit of memory. True if that ended it. */
  watch: (run: () => void) => boolean;
}

/** Functions of the program are bounded, too: its objects lead to them. */
function withLimits<T>(work: () => T): T {
  const undo = limitOwnSizes();
  try {
    return withoutInstances(work);
  } finally {
    undo();
  }
}

/**
 * V8 does not count it as a side effect that an instance of WebAssembly writes its data into a memory or a table that it
 * imports. The class of the program can be reached by its instances.
 */
function withoutInstances<T>(work: () => T): T {
  const holder = (globalThis as { WebAssembly?: object }).WebAssembly;
  const own = holder && Reflect.getOwnPropertyDescriptor(holder, 'Instance');
  const Instance = own?.value as { prototype: object } | undefined;
  if (holder === undefined || own === undefined || typeof Instance !== 'function') return work();
  const { prototype } = Instance;
  const constructor = Reflect.getOwnPropertyDescriptor(prototype, 'constructor');
  const refuse = {
    value(): never {
      throw new TypeError('Read-only evaluation makes no instance of WebAssembly.');
    },
    configurable: true,
    writable: true,
  };
  Reflect.defineProperty(holder, 'Instance', refuse);
  Reflect.defineProperty(prototype, 'constructor', refuse);
  try {
    return work();
  } finally {
    Reflect.defineProperty(holder, 'Instance', own);
    if (constructor) Reflect.defineProperty(prototype, 'constructor', constructor);
  }
}

/** Maps and Sets that one evaluation reads by index. */
const MOST_LISTS = 20;

/** Why read-only code was not run, with what to do. */
export class RefusedError extends Error {
  override name = 'RefusedError';
}

const AWAIT =
  /\bawait\s+(?<operand>[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*|\[(?:\d+|"[^"\]]*"|'[^'\]]*')\])*)(?!\s*[(\w$.[`])/g;
const WRITE_HINT =
  'Read-only evaluation refuses code that may change the program. Work on copies ([...list], new Map(map)), use the tool `locals`, or pass readOnly: false if the access allows it.';

/** Code whose every step V8 checks for side effects before it is done. */
export function evaluateChecked(realm: Realm, code: string, { timeoutMs, watch }: CheckedOptions): Outcome {
  const limit = Date.now() + timeoutMs;
  const left = (): number => Math.max(1, limit - Date.now());
  const run = (statements: string, source = code): Outcome => {
    const metered = meterCode(statements);
    // Code that only V8 understands runs on copies.
    if (metered === undefined) return { kind: 'refused' };
    const boxed = toBoxed(metered, source);
    for (;;) {
      let outcome: Outcome = { kind: 'refused' };
      const isEnded = withLimits(() =>
        watch(() => {
          outcome = unbox(realm.toOutcome(realm.start(boxed, { throwOnSideEffect: true, timeout: left() })));
        }),
      );
      if (isEnded) return { kind: 'memory' };
      // Code without effects can run again from its beginning.
      if (!addNeeded(realm, outcome)) return outcome;
    }
  };
  const bound: string[] = [];
  let split = splitCode(code);
  try {
    if (split.isAsync) {
      split = splitCode(settle(realm, code, { run, bound }));
      if (split.isAsync)
        throw new RefusedError(
          'Read-only evaluation can await only the name of a promise that is settled, such as `await job.result`. Read the promise itself to see its state, or pass readOnly: false if the access allows it.',
        );
    }
    const outcome = run(toStatements(split));
    if (outcome.kind === 'value' && split.head !== '') keepDeclared(realm, split.head, run);
    return outcome;
  } finally {
    realm.lists.clear();
    for (const name of bound) delete realm.names[name];
  }
}

function addNeeded({ lists }: Realm, outcome: Outcome): boolean {
  // An entry has a list and an element of another one.
  return outcome.kind === 'thrown' && lists.size < MOST_LISTS && addList(lists, outcome.error, readMost() / 4);
}

/** The value of the last expression, as a statement of a function. */
export function toStatements({ head, tail }: Pick<SplitCode, 'head' | 'tail'>): string {
  return tail === undefined ? `${head}\n;return {};` : `${head}\n;return { value: (${tail}\n) };`;
}

/**
 * Code that ends with an object which holds its value or its exception. The inspector would read the name and the stack
 * of an exception itself, without a check and without a limit.
 *
 * @param source The code as it was given: `this` is that of the frame.
 */
export function toBoxed(statements: string, source: string): string {
  const self = /\bthis\b/.test(source) ? `typeof ${THIS} === 'undefined' ? undefined : ${THIS}` : 'undefined';
  return `(function () { 'use strict'; try {${statements}\n} catch (error) { return { error, isThrown: true }; } }).call(${self})`;
}

/** The result of {@link toBoxed} code. */
function unbox(outcome: Outcome): Outcome {
  if (outcome.kind !== 'value' || outcome.value === undefined) return outcome;
  if (readField(outcome.value, 'isThrown') === true)
    return { kind: 'thrown', error: readField(outcome.value, 'error') };
  return { kind: 'value', value: readField(outcome.value, 'value') };
}

export function toRefusal(detail?: string): RefusedError {
  return new RefusedError(detail === undefined ? WRITE_HINT : `${WRITE_HINT} (On a copy of the values: ${detail})`);
}

/** Replaces each `await name` by the value of the promise, if it is settled. */
function settle(
  realm: Realm,
  code: string,
  { run, bound }: { run: (code: string, source?: string) => Outcome; bound: string[] },
): string {
  return code.replaceAll(AWAIT, (_match, operand: string) => {
    const outcome = run(toStatements({ head: '', tail: operand }), operand);
    if (outcome.kind !== 'value') throw new RefusedError(`Cannot read \`${operand}\`, which is awaited.`);
    const { value } = outcome;
    const name = `__awaited${bound.length}`;
    realm.names[name] = isPromise(value) ? readSettled(value, operand) : value;
    bound.push(name);
    return name;
  });
}

function readSettled(promise: Promise<unknown>, operand: string): unknown {
  const { state, result } = peekPromise(promise);
  if (state === 'pending' || state === 'unknown')
    throw new RefusedError(
      `The promise \`${operand}\` is ${state}. Read-only evaluation does not wait: that would run the program. Pass readOnly: false if the access allows it.`,
    );
  if (state === 'rejected') throw result;
  return result;
}

/** Declarations stay for the next evaluations: as variables of the realm, not of the program. */
function keepDeclared(realm: Realm, head: string, run: (code: string) => Outcome): void {
  const names = findDeclared(head);
  if (names.length === 0) return;
  const outcome = run(toStatements({ head, tail: `{ ${names.join(', ')} }` }));
  if (outcome.kind !== 'value') return;
  for (const name of names) realm.names[name] = readField(outcome.value, name);
}
