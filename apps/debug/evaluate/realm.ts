import { createContext, runInContext, type Context } from 'node:vm';
import { limitSizes, readMost } from './limit-sizes.ts';
import { METER, METERS } from './meter/meters.ts';
import { type Lists, toHosts } from './meter/lists.ts';
import { toPrimitive, type Inspector, type Pending, type RemoteValue } from '../inspector/inspector.ts';

/** How code ended. */
export type Outcome =
  | { kind: 'value'; value: unknown }
  | { kind: 'thrown'; error: unknown }
  /** The code would have had a side effect. */
  | { kind: 'refused' }
  | { kind: 'timeout' }
  /** It took too much memory. */
  | { kind: 'memory' };

/** A global scope of its own in this process, with values of the program as its variables. */
export interface Realm {
  readonly context: Context;
  /** The variables. */
  readonly names: Record<string, unknown>;
  /** What Maps and Sets of the program hold, for one evaluation. */
  readonly lists: Lists;
  /** Starts code. The answer of `replMode` comes when the queue of the realm is run. */
  start(code: string, options: object): Pending;
  toOutcome(pending: Pending): Outcome;
  /** For a realm that is not used again: the inspector would keep it. */
  release(): void;
}

const GROUP = 'klendathu-evaluation';
let count = 0;

/** `instanceof` with the classes of the realm is true for objects of the program, too. */
const SAME_CLASSES = `(hosts) => {
  for (const [name, hostPrototype] of hosts) {
    const own = globalThis[name];
    if (typeof own !== 'function') continue;
    const prototype = own.prototype;
    const getPrototypeOf = Object.getPrototypeOf;
    Object.defineProperty(own, Symbol.hasInstance, { value(value) {
      if (this !== own) {
        const wanted = this.prototype;
        if (value === null || typeof value !== 'object' && typeof value !== 'function') return false;
        for (let one = getPrototypeOf(value); one !== null; one = getPrototypeOf(one)) if (one === wanted) return true;
        return false;
      }
      if (value === null || typeof value !== 'object' && typeof value !== 'function') return false;
      for (let one = getPrototypeOf(value); one !== null; one = getPrototypeOf(one))
        if (one === prototype || one === hostPrototype) return true;
      return false;
    } });
  }
}`;
const CLASSES =
  'Object Array Function Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError Map Set WeakMap WeakSet Date RegExp Promise ArrayBuffer DataView Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array BigInt64Array BigUint64Array';

/**
 * @param isFull True for one whose code may have effects.
 */
export function createRealm(inspector: Inspector, { isFull = false }: { isFull?: boolean } = {}): Realm {
  const lists: Lists = new Map();
  const name = `klendathu-${process.pid}-${++count}`;
  const names = Object.create(null) as Record<string, unknown>;
  const context = createContext(names, {
    name,
    microtaskMode: 'afterEvaluate',
    // Code of a text would have no meters.
    codeGeneration: { strings: isFull, wasm: isFull },
  });
  const most = readMost();
  limitSizes(context, most);
  if (!isFull) {
    refuseInstances(context);
    const meters = (runInContext(METERS, context) as (...values: unknown[]) => unknown)(most, toHosts(), lists);
    Object.defineProperty(names, METER, { value: meters });
  }
  acceptHostClasses(context);
  const contextId = findContext(inspector, name);
  let received: unknown;
  names['receive'] = (value: unknown): void => void (received = value);
  const { objectId: receiver } = inspector.call('Runtime.evaluate', { expression: 'receive', contextId })[
    'result'
  ] as RemoteValue;
  delete names['receive'];
  const toLive = (remote: RemoteValue): unknown => {
    if (remote.objectId === undefined) return toPrimitive(remote);
    inspector.call('Runtime.callFunctionOn', {
      objectId: receiver,
      functionDeclaration: 'function (value) { this(value); }',
      arguments: [{ objectId: remote.objectId }],
      silent: true,
    });
    const value = received;
    received = undefined;
    return value;
  };
  return {
    context,
    names,
    lists,
    start: (expression, options) =>
      inspector.post('Runtime.evaluate', { expression, contextId, silent: true, objectGroup: GROUP, ...options }),
    toOutcome(pending) {
      const outcome = read(pending, toLive);
      // The inspector keeps what it has named.
      inspector.call('Runtime.releaseObjectGroup', { objectGroup: GROUP });
      return outcome;
    },
    release: () => inspector.call('Runtime.releaseObject', { objectId: receiver }),
  };
}

function read({ error, answer }: Pending, toLive: (remote: RemoteValue) => unknown): Outcome {
  if (error) {
    // The two answers of the inspector for code that it has stopped.
    if (/terminated|Internal error/.test(error.message)) return { kind: 'timeout' };
    return { kind: 'thrown', error };
  }
  const details = answer?.['exceptionDetails'] as { exception?: RemoteValue; text: string } | undefined;
  if (!details) return { kind: 'value', value: toLive(answer!['result'] as RemoteValue) };
  if (details.exception?.description?.startsWith('EvalError: Possible side-effect') === true)
    return { kind: 'refused' };
  return { kind: 'thrown', error: details.exception ? toLive(details.exception) : new Error(details.text) };
}

/** An instance of WebAssembly writes its data into the memory and the tables of the program that it imports. */
function refuseInstances(context: Context): void {
  runInContext(
    `for (const name of ['Instance', 'instantiate', 'instantiateStreaming'])
      Object.defineProperty(WebAssembly, name, {
        value() { throw new TypeError('Read-only evaluation makes no instance of WebAssembly.'); },
      });`,
    context,
  );
}

function acceptHostClasses(context: Context): void {
  const hosts = CLASSES.split(' ').flatMap((one) => {
    const made = (globalThis as Record<string, unknown>)[one];
    return typeof made === 'function' ? [[one, made.prototype as unknown]] : [];
  });
  (runInContext(SAME_CLASSES, context) as (pairs: unknown) => void)(hosts);
}

function findContext(inspector: Inspector, name: string): number {
  let found: number | undefined;
  const listen = ({ params }: { params: { context: { id: number; name: string } } }): void => {
    if (params.context.name === name) found = params.context.id;
  };
  inspector.session.on('Runtime.executionContextCreated', listen);
  inspector.call('Runtime.enable');
  inspector.call('Runtime.disable');
  inspector.session.off('Runtime.executionContextCreated', listen);
  return found!;
}
