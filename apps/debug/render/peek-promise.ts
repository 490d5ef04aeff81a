import { runBounded } from '../inspector/bounded.ts';
import { openInspector, toArgument, toPrimitive, type Inspector, type RemoteValue } from '../inspector/inspector.ts';

export interface PromiseState {
  /** `unknown`: its result could not be read in time. */
  state: 'pending' | 'fulfilled' | 'rejected' | 'unknown';
  /** The value or the reason. Undefined in any other state. */
  result?: unknown;
}

/** Milliseconds. */
const LIMIT = 100;
const SLOT = Symbol.for('klendathu.peek');
const EXPRESSION = "globalThis[Symbol.for('klendathu.peek')]";
const holder = globalThis as { [SLOT]?: unknown };

/** The state of a promise, without a reaction that the program could notice. */
export function peekPromise(promise: Promise<unknown>): PromiseState {
  const inspector = openInspector();
  try {
    // The inspector reads the name and the stack of an error, which can be code of the program.
    return runBounded(() => peek(inspector, promise), LIMIT);
  } catch {
    return { state: 'unknown' };
  } finally {
    delete holder[SLOT];
    inspector.close();
  }
}

function peek(inspector: Inspector, promise: Promise<unknown>): PromiseState {
  holder[SLOT] = promise;
  const { objectId } = inspector.call('Runtime.evaluate', { expression: EXPRESSION })['result'] as RemoteValue;
  const answer = inspector.call('Runtime.getProperties', { objectId, ownProperties: true });
  const inner = answer['internalProperties'] as { name: string; value: RemoteValue }[];
  const read = (name: string): RemoteValue => inner.find((one) => one.name === name)!.value;
  const state = read('[[PromiseState]]').value as PromiseState['state'];
  if (state === 'pending') return { state };
  const result = read('[[PromiseResult]]');
  if (result.objectId === undefined) return { state, result: toPrimitive(result) };
  inspector.call('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: `function (result) { ${EXPRESSION} = result; }`,
    arguments: [toArgument(result)],
  });
  return { state, result: holder[SLOT] };
}
