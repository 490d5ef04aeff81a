import { headOf } from '@klaus/core/cut-text';
import type { ExecLimits, ExecRequest, ExecResult, PrestartRequest, ToolContext, ToolOutput } from '@klaus/core/agent';
import { describeEnd, isSuccess } from './exec-report.ts';
import { toOfflineEnvironment } from './offline.ts';
import { OutputCollector, type CollectedOutput } from './output-collector.ts';
import { checkWord } from './quote.ts';

export interface ProgramRequest extends Pick<ExecRequest, 'command' | 'cwd' | 'network' | 'env'> {
  /** Default: as configured. */
  timeoutMs?: number;
  /** MiB. Default: as configured. */
  memoryMb?: number;
  /** Bytes of output in `result`. Default 0. */
  keepBytes?: number;
  /** Shows no live output, for a format that only programs read. Default false. */
  quiet?: boolean;
}

export interface ProgramRun extends CollectedOutput {
  result: ExecResult;
  timeoutMs: number;
}

/** Without these, some programs use colours, redraw lines or watch files as on a terminal. */
const PLAIN = { CI: 'true', NO_COLOR: '1', FORCE_COLOR: '0' };

/** The request for a sandbox, see `Sandbox.prestart`. */
export function toPrestart(context: ToolContext, request: Omit<ProgramRequest, 'command' | 'cwd'>): PrestartRequest {
  const { env = PLAIN, network = false } = request;
  return {
    network,
    env: { ...toOfflineEnvironment(context, network !== false), ...env },
    limits: { ...context.execLimits, ...toRequestedLimits(request, context.execLimits) },
  };
}

/** Runs a command in the sandbox and shows its live output; by default with an environment that disables colours. */
export async function runProgram(context: ToolContext, request: ProgramRequest): Promise<ProgramRun> {
  const { command, cwd = context.workspace.root, keepBytes = 0, quiet = false } = request;
  // The shell receives the command line as one argument.
  if (typeof command === 'string') checkWord('command line', command);
  const collector = new OutputCollector(context);
  const { timeoutMs } = toRequestedLimits(request, context.execLimits);
  try {
    const result = await context.sandbox.exec({
      command,
      cwd,
      ...toPrestart(context, request),
      ...(quiet ? {} : { onOutput: collector.add }),
      // A caller that keeps the output reads the streams by themselves.
      merged: !quiet && keepBytes === 0,
      keepBytes,
      signal: context.signal,
    });
    return { result, timeoutMs, ...(await collector.finish()) };
  } catch (error) {
    collector.abort();
    throw error;
  }
}

/** Longest time-out that a call may request, in milliseconds, unless the user has configured a longer one. */
const MAX_TIMEOUT_MS = 600_000;

/** The requested limits, capped at ten minutes and the configured memory. */
export function toRequestedLimits(
  requested: Pick<ProgramRequest, 'timeoutMs' | 'memoryMb'>,
  limits: Pick<ExecLimits, 'timeoutMs' | 'memoryMb'>,
): { timeoutMs: number; memoryMb: number } {
  const { timeoutMs = limits.timeoutMs, memoryMb = limits.memoryMb } = requested;
  return {
    timeoutMs: Math.min(Math.floor(timeoutMs), Math.max(MAX_TIMEOUT_MS, limits.timeoutMs)),
    memoryMb: Math.min(Math.floor(memoryMb), limits.memoryMb),
  };
}

/** The result of a tool that runs one command. `notes` precede the output. */
export function toProgramOutput(command: string, run: ProgramRun, notes: readonly string[] = []): ToolOutput {
  const { result, timeoutMs, text, blob, lines } = run;
  const head = [`$ ${cutCommand(command)}`, ...notes, ...describeEnd(result, timeoutMs)].filter((line) => line !== '');
  const output = text.trimEnd();
  return {
    text: (output === '' ? head : [...head, '', output]).join('\n'),
    isError: !isSuccess(result),
    detail: toProgramDetail(result),
    blob,
    lines,
  };
}

/** The structured part of every such result. */
export function toProgramDetail({ exitCode, timedOut, durationMs, refusedHosts }: ExecResult): object {
  return { exitCode, timedOut, durationMs, refusedHosts };
}

function cutCommand(command: string): string {
  return command.length <= 500 ? command : `${headOf(command, 400)}…`;
}
