import type { Inspector } from '../inspector/inspector.ts';
import { readOwn } from '../stack/read-stack.ts';
import { copyValue, prepareRealm, type Printed } from './copy-value.ts';
import { readField, toBoxed, toRefusal, unbox } from './evaluate-checked.ts';
import { LIMITED_CLASSES } from './limit-sizes.ts';
import { createRealm, type Outcome } from './realm.ts';
import { splitCode } from './split-code.ts';

export interface CopyOptions {
  inspector: Inspector;
  code: string;
  timeoutMs: number;
  names: Readonly<Record<string, unknown>>;
  /** Receives what the code prints. */
  print: (printed: Printed) => void;
}

const LINES = 1000;
/** Code with these could make a promise: one that is rejected would end the program. */
const ASYNC = /\basync\b|\bimport\b/;

/**
 * Runs code that V8's check refuses on frozen copies of the values that it names, in a realm without any object of the
 * program. What needs the program itself, or would change a value, fails and is refused.
 */
export function evaluateOnCopy({ inspector, code, timeoutMs, names, print }: CopyOptions): Outcome {
  const { head, tail, isAsync } = splitCode(code);
  if (isAsync || ASYNC.test(code)) return { kind: 'refused' };
  const realm = createRealm(inspector, { isIsolated: true });
  const used = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  const printed = prepareRealm(realm.context);
  const copy = copyValue(realm.context);
  for (const name of used)
    if (name in names && !LIMITED_CLASSES.has(name) && (!(name in globalThis) || isOwn(name, names[name])))
      realm.names[name] = copy(names[name]);
  const expression = tail === undefined ? `${head}\n;undefined` : `${head}\n;({ value: (${tail}\n) })`;
  const outcome = unbox(realm.toOutcome(realm.start(toBoxed(expression), { timeout: timeoutMs })));
  realm.release();
  for (const one of readElements(printed)) print(toPrinted(one));
  if (outcome.kind === 'thrown') {
    const message = readOwn(outcome.error, 'message');
    return { kind: 'thrown', error: toRefusal(typeof message === 'string' ? message : undefined) };
  }
  return outcome;
}

/** The elements of an array of the realm, without its methods. */
function readElements(array: unknown): unknown[] {
  const length = readField(array, 'length');
  if (typeof length !== 'number') return [];
  return Array.from({ length: Math.min(length, LINES) }, (_, index) => readField(array, String(index)));
}

/** In objects of this realm: those of the other one have the methods that evaluated code gave them. */
function toPrinted(line: unknown): Printed {
  const level = readField(line, 'level');
  return { level: typeof level === 'string' ? level : 'log', values: readElements(readField(line, 'values')) };
}

/** True for a variable of the program that hides a global of the same name. */
function isOwn(name: string, value: unknown): boolean {
  return name !== 'console' && (globalThis as Record<string, unknown>)[name] !== value;
}
