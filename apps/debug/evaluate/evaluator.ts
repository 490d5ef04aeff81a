import { headOf } from '../render/cut-text.ts';
import { runInContext } from 'node:vm';
import type { ConsoleEntry } from '../contract/index.ts';
import { openInspector } from '../inspector/inspector.ts';
import { describeValue } from '../render/describe-value.ts';
import { formatValue } from '../render/format-value.ts';
import type { Redactor } from '../redact/create-redactor.ts';
import { readOwn, readStack, readText } from '../stack/read-stack.ts';
import { createConsole } from './console-capture.ts';
import { evaluateChecked, toRefusal } from './evaluate-checked.ts';
import { evaluateFull } from './evaluate-full.ts';
import { evaluateOnCopy } from './evaluate-on-copy.ts';
import { readHostGlobals } from './host-globals.ts';
import { createRealm, type Outcome, type Realm } from './realm.ts';

export interface Evaluation {
  isError: boolean;
  /** The value as a text, or the exception. */
  result: string;
  console: ConsoleEntry[];
}

export interface EvaluateOptions {
  code: string;
  /** Variables of a frame, by name. */
  locals?: Readonly<Record<string, unknown>> | undefined;
  readOnly: boolean;
  /** Milliseconds. */
  timeoutMs: number;
}

export interface Evaluator {
  /** One at a time: others wait. Never rejects. */
  evaluate(options: EvaluateOptions): Promise<Evaluation>;
  /** Also stops a running evaluation. */
  close(): void;
}

export interface EvaluatorOptions {
  context: Readonly<Record<string, unknown>>;
  redactor: Redactor;
}

/** Frames of this package say nothing about the program. */
const OWN = new URL('..', import.meta.url).href;

/** Evaluates code in this process, on the live values of the program. */
export function createEvaluator({ context, redactor }: EvaluatorOptions): Evaluator {
  const inspector = openInspector();
  const stopped = new AbortController();
  const captured = createConsole(redactor);
  const globals = readHostGlobals();
  const realms: { read?: Realm | undefined; full?: Realm | undefined } = {};
  const base = (): Record<string, unknown> => ({
    ...globals,
    console: captured.console,
    global: globalThis,
    ...context,
    context,
  });
  const openRealm = (kind: 'read' | 'full'): Realm => {
    const made = realms[kind] ?? createRealm(inspector, { isFull: kind === 'full' });
    if (!realms[kind]) Object.assign(made.names, base());
    return (realms[kind] = made);
  };
  const withLocals = async <T>(
    realm: Realm,
    locals: Readonly<Record<string, unknown>>,
    run: () => T | Promise<T>,
  ): Promise<T> => {
    const former = Object.keys(locals).map((name) => [name, name in realm.names, realm.names[name]] as const);
    Object.assign(realm.names, locals);
    try {
      return await run();
    } finally {
      for (const [name, had, value] of former)
        if (had) realm.names[name] = value;
        else delete realm.names[name];
    }
  };
  const runRead = ({ code, locals = {}, timeoutMs }: EvaluateOptions): Promise<Outcome> => {
    const realm = openRealm('read');
    return withLocals(realm, locals, () => {
      const outcome = evaluateChecked(realm, code, timeoutMs);
      if (outcome.kind !== 'refused') return outcome;
      return evaluateOnCopy({ inspector, code, timeoutMs, names: realm.names, print: captured.print });
    });
  };
  const runFull = async ({ code, locals = {}, timeoutMs }: EvaluateOptions): Promise<Outcome> => {
    const { createProcessGuard, stopWatching } = await import('./process-guard.ts');
    endWatch = stopWatching;
    const realm = openRealm('full');
    const namespaces = runInContext('[Object, Reflect]', realm.context) as object[];
    const guard = createProcessGuard({ timeoutMs, namespaces });
    try {
      // The guarded forms of the functions that call back.
      const outcome = await withLocals(realm, { ...guard.globals(globals), ...context, ...locals }, () =>
        evaluateFull(code, { realm, guard, timeoutMs, signal: stopped.signal }),
      );
      // What was stopped may have left microtasks behind, which would run with the next evaluation.
      if (outcome.kind === 'timeout') realms.full = undefined;
      return outcome;
    } finally {
      guard.end();
    }
  };
  let endWatch: (() => void) | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return {
    evaluate(options) {
      const run = async (): Promise<Evaluation> => {
        const outcome = await (options.readOnly ? runRead(options) : runFull(options)).catch(
          (error: unknown): Outcome => ({ kind: 'thrown', error }),
        );
        return { ...toText(outcome, options, redactor), console: captured.take() };
      };
      const next = last.then(run);
      last = next;
      return next;
    },
    close() {
      stopped.abort();
      inspector.close();
      endWatch?.();
    },
  };
}

function toText(outcome: Outcome, { timeoutMs }: EvaluateOptions, redactor: Redactor): Omit<Evaluation, 'console'> {
  switch (outcome.kind) {
    case 'value':
      return { isError: false, result: redactor.result(formatValue(outcome.value, { mask: redactor })) };
    case 'refused':
      return { isError: true, result: String(toRefusal().message) };
    case 'timeout':
      return { isError: true, result: `TimeoutError: The evaluation was stopped after ${timeoutMs} ms.` };
    case 'thrown':
      return { isError: true, result: toErrorText(outcome.error, redactor) };
  }
}

/** Name, message and the lines of the stack that are in evaluated code or in the program. */
function toErrorText(error: unknown, redactor: Redactor): string {
  const message = readOwn(error, 'message');
  if (typeof message !== 'string') return redactor.text(`Thrown: ${formatValue(error, { mask: redactor, depth: 2 })}`);
  const name = String(readText(error, 'name') ?? describeValue(error).type);
  const lines = (readStack(error) ?? '')
    .split('\n')
    .filter(
      (line) =>
        /^\s+at /.test(line) && !/node:internal|node:inspector|node:vm|<anonymous>/.test(line) && !line.includes(OWN),
    );
  return redactor.text([`${name}: ${headOf(message, 4000)}`, ...lines.slice(0, 5)].join('\n'));
}
