import { runBounded } from '../inspector/bounded.ts';
import { openInspector, toPrimitive, type RemoteValue } from '../inspector/inspector.ts';
import { textOfFunction } from './intrinsics.ts';
import { isProxy } from 'node:util/types';

export interface PrivateField {
  /** With `#`. */
  name: string;
  value: unknown;
  /** Instead of a value: an accessor or a method, which is not run. */
  note?: string;
}

/** Milliseconds. */
const LIMIT = 100;
const SLOT = Symbol.for('klendathu.private');
const EXPRESSION = "globalThis[Symbol.for('klendathu.private')]";
const holder = globalThis as { [SLOT]?: unknown };

/** The private fields of an instance, which only the inspector can read. Empty if its classes have none. */
export function readPrivate(value: object): PrivateField[] {
  if (!hasPrivate(value)) return [];
  const inspector = openInspector();
  try {
    return runBounded(() => {
      holder[SLOT] = value;
      const { objectId } = inspector.call('Runtime.evaluate', { expression: EXPRESSION })['result'] as RemoteValue;
      const answer = inspector.call('Runtime.getProperties', {
        objectId,
        ownProperties: true,
        nonIndexedPropertiesOnly: true,
      });
      const found = (answer['privateProperties'] ?? []) as { name: string; value?: RemoteValue; get?: RemoteValue }[];
      const objects = found.flatMap(({ value: one }) => (one?.objectId === undefined ? [] : [one.objectId]));
      inspector.call('Runtime.callFunctionOn', {
        objectId,
        functionDeclaration: `function (...values) { ${EXPRESSION} = values; }`,
        arguments: objects.map((id) => ({ objectId: id })),
      });
      const live = holder[SLOT] as unknown[];
      return found.map(({ name, value: one }) => {
        if (one === undefined) return { name, value: undefined, note: '[Getter]' };
        if (one.objectId === undefined) return { name, value: toPrimitive(one) };
        return { name, value: live[objects.indexOf(one.objectId)] };
      });
    }, LIMIT);
  } catch {
    return [];
  } finally {
    delete holder[SLOT];
    inspector.close();
  }
}

/** As far as the sources of its classes say. */
function hasPrivate(value: object): boolean {
  let prototype = Reflect.getPrototypeOf(value);
  for (let depth = 0; prototype !== null && depth < 10 && !isProxy(prototype); depth++) {
    const made: unknown = Reflect.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
    if (typeof made === 'function' && !isProxy(made)) {
      const text = textOfFunction(made);
      if (text.startsWith('class') && text.includes('#')) return true;
    }
    prototype = Reflect.getPrototypeOf(prototype);
  }
  return false;
}
