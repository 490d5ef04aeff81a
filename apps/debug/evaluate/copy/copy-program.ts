// The process in which code runs on copies of values. It has no variables of the program, cannot write and cannot start
// anything, and ends with the program.
import { createContext, runInContext, Script } from 'node:vm';
import { createRedactor, type Redactor } from '../../redact/create-redactor.ts';
import { headOf } from '../../render/cut-text.ts';
import { formatValue } from '../../render/format-value.ts';
import { readOwn } from '../../stack/read-stack.ts';
import { readField } from '../read-field.ts';
import { limitSizes } from '../limit-sizes.ts';
import { buildCopy } from './build-copy.ts';
import type { CopyAnswer, CopyRequest, PrintedText } from './copy-messages.ts';

/** Removed from the realm: what runs code later. Nothing in it can make a promise. */
const PRELUDE = `(info) => {
  for (const name of ['FinalizationRegistry', 'WeakRef', 'WebAssembly', 'Atomics', 'SharedArrayBuffer', 'Promise', 'AsyncDisposableStack'])
    delete globalThis[name];
  delete Array.fromAsync;
  Object.defineProperty(Error, 'prepareStackTrace', { value: undefined });
  const { memory, uptime, cwd, ...process } = JSON.parse(info);
  globalThis.process = { ...process, memoryUsage: () => memory, uptime: () => uptime, cwd: () => cwd };
  const clone = (value, seen) => {
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (made) => { seen.set(value, made); return made; };
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof Map) { const made = keep(new Map()); for (const [key, one] of value) made.set(clone(key, seen), clone(one, seen)); return made; }
    if (value instanceof Set) { const made = keep(new Set()); for (const one of value) made.add(clone(one, seen)); return made; }
    const made = keep(Array.isArray(value) ? [] : {});
    for (const key of Object.keys(value)) made[key] = clone(value[key], seen);
    return made;
  };
  globalThis.structuredClone = (value) => clone(value, new Map());
  const lines = [];
  const write = (level) => (...values) => { if (lines.length < 1000) lines.push({ level, values }); };
  globalThis.console = Object.fromEntries(['log', 'info', 'warn', 'error', 'debug'].map((level) => [level, write(level)]));
  return lines;
}`;
const LINES = 1000;
const send = process.send!.bind(process);

function evaluate({ code, snapshot, timeoutMs, processInfo, secrets }: CopyRequest): CopyAnswer {
  const redactor = createRedactor({ redact: secrets, env: {} });
  const names = Object.create(null) as Record<string, unknown>;
  const context = createContext(names, {
    microtaskMode: 'afterEvaluate',
    codeGeneration: { strings: false, wasm: false },
  });
  limitSizes(context);
  const lines = (runInContext(PRELUDE, context) as (info: string) => unknown)(processInfo);
  Object.assign(names, buildCopy(context, snapshot));
  let box: unknown;
  try {
    box = new Script(code).runInContext(context, { timeout: timeoutMs });
  } catch (error) {
    if (readOwn(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { kind: 'timeout' };
    return { kind: 'thrown', message: messageOf(error), printed: [] };
  }
  const printed = readElements(lines).map((line) => toPrinted(line, redactor));
  if (readField(box, 'isThrown') === true)
    return { kind: 'thrown', message: messageOf(readField(box, 'error')), printed };
  return { kind: 'value', text: formatValue(readField(box, 'value'), { mask: redactor }), printed };
}

function messageOf(error: unknown): string | undefined {
  const message = readOwn(error, 'message');
  return typeof message === 'string' ? headOf(message, 4000) : undefined;
}

/** The elements of an array of the realm, without its methods. */
function readElements(array: unknown): unknown[] {
  const length = readField(array, 'length');
  if (typeof length !== 'number') return [];
  return Array.from({ length: Math.min(length, LINES) }, (_, index) => readField(array, String(index)));
}

function toPrinted(line: unknown, redactor: Redactor): PrintedText {
  const level = readField(line, 'level');
  const text = readElements(readField(line, 'values'))
    .map((value) => (typeof value === 'string' ? value : formatValue(value, { mask: redactor, depth: 3 })))
    .join(' ');
  return { level: typeof level === 'string' ? level : 'log', text: redactor.text(headOf(text, 20_000)) };
}

process.on('message', (request: CopyRequest) => {
  let answer: CopyAnswer;
  try {
    answer = evaluate(request);
  } catch (error) {
    answer = { kind: 'thrown', message: messageOf(error), printed: [] };
  }
  send(answer);
});
process.on('disconnect', () => process.exit(0));
send('ready');
