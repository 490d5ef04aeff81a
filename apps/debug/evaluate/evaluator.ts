import { headOf } from '../render/cut-text.ts';
import { runInContext } from 'node:vm';
import type { ConsoleEntry } from '../contract/index.ts';
import { openInspector } from '../inspector/inspector.ts';
import { describeValue } from '../render/describe-value.ts';
import { formatValue } from '../render/format-value.ts';
import type { Redactor } from '../redact/create-redactor.ts';
import { readOwn, readStack, readText } from '../stack/read-stack.ts';
import { createConsole } from './console-capture.ts';
import type { CopyAnswer } from './copy/copy-messages.ts';
import { createCopyProcess } from './copy/copy-process.ts';
import { evaluateChecked, THIS, toRefusal } from './evaluate-checked.ts';
import { evaluateFull } from './evaluate-full.ts';
import { evaluateOnCopy } from './evaluate-on-copy.ts';
import { readHostGlobals } from './host-globals.ts';
import { createMemoryWatch, type MemoryWatch } from './memory-watch.ts';
import { createRealm, type Outcome, type Realm } from './realm.ts';

export interface Evaluation {
  isError: boolean;
  /** The value as a text, or the exception. */
  result: string;
  /** What else to know about it. */
  note?: string | undefined;
  console: ConsoleEntry[];
}

export interface EvaluateOptions {
  code: string;
  /** Variables of a frame by name, with `this`. */
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
  const copies = createCopyProcess();
  let memory: MemoryWatch | undefined;
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
    // No variable can have the name `this`.
    const variables = Object.entries(locals).map(([name, value]) => [name === 'this' ? THIS : name, value] as const);
    const former = variables.map(([name]) => [name, name in realm.names, realm.names[name]] as const);
    for (const [name, value] of variables) realm.names[name] = value;
    try {
      return await run();
    } finally {
      for (const [name, had, value] of former)
        if (had) realm.names[name] = value;
        else delete realm.names[name];
    }
  };
  const runRead = async ({ code, locals = {}, timeoutMs }: EvaluateOptions): Promise<Outcome | CopyAnswer> => {
    memory ??= createMemoryWatch(inspector);
    const opened = memory;
    await opened.ready;
    const realm = openRealm('read');
    return withLocals(realm, locals, async () => {
      const outcome = evaluateChecked(realm, code, { timeoutMs, watch: opened.watch });
      if (outcome.kind !== 'refused') return outcome;
      const secrets = [...redactor.known];
      const answer = await evaluateOnCopy({ process: copies, code, timeoutMs, names: realm.names, secrets });
      return answer ?? outcome;
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
        if ('printed' in outcome)
          for (const { level, text } of outcome.printed) captured.print({ level, values: [text] });
        return { ...toText(outcome, options, redactor), console: captured.take() };
      };
      const next = last.then(run);
      last = next;
      return next;
    },
    close() {
      stopped.abort();
      memory?.close();
      copies.close();
      inspector.close();
      endWatch?.();
    },
  };
}

const COPIED = 'Evaluated on copies of the values: V8 did not allow it on the values themselves.';

function toText(
  outcome: Outcome | CopyAnswer,
  { timeoutMs }: EvaluateOptions,
  redactor: Redactor,
): Omit<Evaluation, 'console'> {
  switch (outcome.kind) {
    case 'value':
      if ('text' in outcome) return { isError: false, result: redactor.result(outcome.text), note: COPIED };
      return { isError: false, result: redactor.result(formatValue(outcome.value, { mask: redactor })) };
    case 'refused':
      return { isError: true, result: toRefusal().message };
    case 'unavailable':
      return { isError: true, result: toRefusal(`there are none: ${outcome.reason}`).message };
    case 'timeout':
      return { isError: true, result: `TimeoutError: The evaluation was stopped after ${timeoutMs} ms.` };
    case 'memory':
      return { isError: true, result: 'RangeError: The evaluation was stopped: it took too much memory.' };
    case 'thrown':
      if ('message' in outcome) return { isError: true, result: redactor.text(`RefusedError: ${outcome.message}`) };
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
