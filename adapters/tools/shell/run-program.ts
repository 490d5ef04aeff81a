import type { BlobRef } from '@klaus/core/protocol';
import type { ExecLimits, ExecRequest, ExecResult, PrestartRequest, ToolContext, ToolOutput } from '@klaus/core/agent';
import { describeEnd, isSuccess } from './exec-report.ts';
import { toOfflineEnvironment } from './offline.ts';
import { OutputKeeper } from './output-collector.ts';
import { checkWord } from './quote.ts';

export interface ProgramRequest extends Pick<ExecRequest, 'command' | 'cwd' | 'network' | 'env'> {
  /** Default: that of the configuration. */
  timeoutMs?: number | undefined;
  /** MiB. Default: that of the configuration. */
  memoryMb?: number | undefined;
  /** Bytes of output kept in `result`. Default 0. */
  keepBytes?: number;
  /** Show nothing while it runs, for output that only a program reads. Default false. */
  quiet?: boolean;
}

export interface ProgramRun {
  result: ExecResult;
  timeoutMs: number;
  /** The output for the model; `blob` holds all of it where `text` does not. */
  text: string;
  blob?: BlobRef;
}

/** Programs watch, draw and colour on a terminal, and some only believe CI that there is none. */
const PLAIN = { CI: 'true', NO_COLOR: '1', FORCE_COLOR: '0' };

/** What a sandbox has to be made for, see `Sandbox.prestart`. */
export function toPrestart(context: ToolContext, request: Omit<ProgramRequest, 'command' | 'cwd'>): PrestartRequest {
  const { env = PLAIN, network = false } = request;
  return {
    network,
    env: { ...toOfflineEnvironment(context, network), ...env },
    limits: { ...context.execLimits, ...toAskedLimits(request, context.execLimits) },
  };
}

/** Runs a command in the sandbox and shows its output as it comes; by default with an environment that asks for no colours. */
export async function runProgram(context: ToolContext, request: ProgramRequest): Promise<ProgramRun> {
  const { command, cwd = context.workspace.root } = request;
  const { keepBytes = 0, quiet = false } = request;
  // The shell is given its line as one word.
  if (typeof command === 'string') checkWord('command line', command);
  const keeper = new OutputKeeper(context);
  const { timeoutMs } = toAskedLimits(request, context.execLimits);
  try {
    const result = await context.sandbox.exec({
      command,
      cwd,
      ...toPrestart(context, request),
      ...(quiet ? {} : { onOutput: keeper.take }),
      keepBytes,
      signal: context.signal,
    });
    return { result, timeoutMs, ...(await keeper.finish()) };
  } catch (error) {
    keeper.abort();
    throw error;
  }
}

/** The longest time that a call may ask for, in milliseconds, where the user allows no longer one. */
const MAX_TIMEOUT_MS = 600_000;

/** What a call asks for, within what it may have: ten minutes, and the user's memory. */
export function toAskedLimits(
  asked: Pick<ProgramRequest, 'timeoutMs' | 'memoryMb'>,
  limits: Pick<ExecLimits, 'timeoutMs' | 'memoryMb'>,
): { timeoutMs: number; memoryMb: number } {
  const { timeoutMs = limits.timeoutMs, memoryMb = limits.memoryMb } = asked;
  return {
    timeoutMs: Math.min(Math.floor(timeoutMs), Math.max(MAX_TIMEOUT_MS, limits.timeoutMs)),
    memoryMb: Math.min(Math.floor(memoryMb), limits.memoryMb),
  };
}

/** The result of a tool that runs one command and tells what it wrote. `notes` stand before the output. */
export function toProgramOutput(command: string, run: ProgramRun, notes: readonly string[] = []): ToolOutput {
  const { result, timeoutMs, text, blob } = run;
  const head = [`$ ${cutCommand(command)}`, ...notes, ...describeEnd(result, timeoutMs)].filter((line) => line !== '');
  const output = text.trimEnd();
  return {
    text: (output === '' ? head : [...head, '', output]).join('\n'),
    isError: !isSuccess(result),
    detail: toProgramDetail(result),
    ...(blob ? { blob } : {}),
  };
}

/** What every such result has for doors. */
export function toProgramDetail(result: ExecResult): {
  exitCode: number | null;
  timedOut: boolean;
  durationMs: number;
  refusedHosts?: readonly string[];
} {
  const { exitCode, timedOut, durationMs, refusedHosts } = result;
  return { exitCode, timedOut, durationMs, ...(refusedHosts ? { refusedHosts } : {}) };
}

/** A command that is mostly code is not said again at length. */
function cutCommand(command: string): string {
  return command.length <= 500 ? command : `${command.slice(0, 400)}…`.toWellFormed();
}
