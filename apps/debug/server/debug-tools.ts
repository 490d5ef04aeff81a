import type { Access, DebugInput, DebugOutput, Findings } from '../contract/index.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import type { recordOutput } from '../evaluate/console-capture.ts';
import type { Redactor } from '../redact/create-redactor.ts';
import type { DebugServerOptions } from './debug-server-options.ts';
import { readSource } from './read-source.ts';
import type { Subject } from './subject.ts';
import { ToolError } from './tool-error.ts';

export interface ToolsOptions extends Pick<
  DebugServerOptions,
  'evalTimeoutMs' | 'maxEvals' | 'onReport' | 'implement'
> {
  access: Access;
  subject: Subject;
  evaluator: Evaluator;
  output: ReturnType<typeof recordOutput>;
  redactor: Redactor;
}

/** A name that is not defined may be a variable of the frame. */
function describeBare(frame: number): string {
  return `The variables of frame ${frame} were not captured (\`hasLocals\` in the result of \`frames\`): names are those of the context and of the globals, and every other name may be a variable of the frame.`;
}

type Outcome = Promise<object> | object;

/** What the tools of the contract do. */
export interface DebugTools {
  eval: (input: DebugInput<'eval'>) => Promise<DebugOutput<'eval'>>;
  frames: () => DebugOutput<'frames'>;
  locals: (input: DebugInput<'locals'>) => DebugOutput<'locals'>;
  source: (input: DebugInput<'source'>) => DebugOutput<'source'>;
  console: (input: DebugInput<'console'>) => DebugOutput<'console'>;
  report: (input: Findings) => DebugOutput<'report'>;
  implement:
    | { setResult: (input: { result?: unknown }) => Outcome; fail: (input: { reason: string }) => Outcome }
    | undefined;
}

/** State that all requests of one server share. */
export function createTools(options: ToolsOptions): DebugTools {
  const { access, subject, evaluator, output, redactor, evalTimeoutMs = 5000, maxEvals = Infinity } = options;
  let evals = 0;
  const findFrame = (frame: number): void => {
    if (frame >= subject.frames.length)
      throw new ToolError(`There is no frame ${frame}: the error has ${subject.frames.length}.`);
  };
  return {
    async eval({ code, frame, readOnly = access === 'read', timeoutMs = evalTimeoutMs }) {
      if (frame !== undefined) findFrame(frame);
      if (!readOnly && access === 'read')
        throw new ToolError('Code with effects is refused: the access of this investigation is `read`.');
      if (evals >= maxEvals) throw new ToolError(`The limit of ${maxEvals} evaluations is reached.`);
      evals++;
      const locals = frame === undefined ? undefined : subject.locals(frame);
      const limit = Math.min(timeoutMs, Math.max(evalTimeoutMs, 1));
      const { isError, ...ended } = await evaluator.evaluate({ code, locals, readOnly, timeoutMs: limit });
      const bare = frame !== undefined && locals === undefined ? describeBare(frame) : undefined;
      const done = bare === undefined ? ended : { ...ended, note: [ended.note, bare].filter(Boolean).join(' ') };
      if (isError) throw new ToolError(bare === undefined ? done.result : `${done.result}\n${bare}`, done);
      return done;
    },
    frames: () => ({
      frames: subject.frames.map((frame) => ({ ...frame, filePath: redactor.text(frame.filePath) })),
      ...(subject.notes ? { notes: [...subject.notes] } : {}),
    }),
    locals({ frame, path, depth = 2 }) {
      findFrame(frame);
      if (subject.locals(frame) === undefined)
        throw new ToolError(
          `The variables of frame ${frame} were not captured. See \`hasLocals\` in the result of \`frames\`.`,
        );
      const values = [...subject.tree(frame, { path, depth })];
      if (path !== undefined && values.length === 0)
        throw new ToolError(`There is no value at ${JSON.stringify(path)}.`);
      return { values };
    },
    source({ file, line, around }) {
      const found = readSource(file, line, around);
      return { ...found, text: redactor.text(found.text) };
    },
    console: ({ since = 0 }) => ({ entries: output.entries(since) }),
    report(findings) {
      options.onReport?.(findings);
      return { accepted: true };
    },
    implement: options.implement && createImplement(options.implement),
  };
}

function createImplement({
  validate,
  onResult,
  onRefused,
  attempts = 5,
}: NonNullable<DebugServerOptions['implement']>) {
  let left = attempts;
  let isDone = false;
  return {
    async setResult({ result }: { result?: unknown }): Promise<object> {
      if (isDone) throw new ToolError('There is a result already.');
      if (left <= 0) throw new ToolError('No attempts are left.');
      left--;
      const errors = await validate(result);
      if (errors.length > 0) return { accepted: false, errors: [...errors], attemptsLeft: left };
      isDone = true;
      onResult(result);
      return { accepted: true };
    },
    fail({ reason }: { reason: string }): object {
      isDone = true;
      onRefused(reason);
      return { accepted: true };
    },
  };
}
