import { spawnSync } from 'node:child_process';
import { FAILURE_CODES, type FailureCode } from '../contract/failure-codes.ts';
import type { ReportData } from '../contract/index.ts';
import { checkOptions, resolveMode } from '../investigate/check-options.ts';
import { openContext } from '../investigate/context.ts';
import { KlendathuError } from '../investigate/klendathu-error.ts';
import { Report } from '../investigate/report.ts';
import { toChildEnvironment } from '../launch/child-environment.ts';
import { lifelineArguments } from '../launch/lifeline-arguments.ts';
import { tryRecord } from '../records/record-only.ts';
import { PROGRAM, toProcessOptions } from '../records/record-process.ts';
import type { HookOptions } from './background.ts';
import { printOutcome } from './print-outcome.ts';

/** Milliseconds that a process waits before it ends, without the option `timeoutMs`. */
const DEFAULT_TIMEOUT_MS = 120_000;

/** Records an error that ends this process, and waits for the investigation of the record, synchronously. */
export function investigateCrash(error: unknown, options: HookOptions): void {
  const { onReport = printOutcome, onFailure = printOutcome } = options;
  let outcome: Report | KlendathuError;
  try {
    outcome = investigateNow(error, options);
  } catch (failure) {
    if (!KlendathuError.isInstance(failure)) throw failure;
    outcome = failure;
  }
  if (outcome instanceof Report) onReport(outcome, error);
  else onFailure(outcome, error);
}

function investigateNow(error: unknown, options: HookOptions): Report {
  checkOptions(options);
  const mode = resolveMode(options);
  const opened = openContext(options.context ?? {});
  const record = tryRecord(
    { ...opened, error, values: { error, ...opened.values } },
    options,
    mode !== 'record' || options.dedupe === true,
  );
  if (mode === 'record') {
    const text = `Recorded: ${record}`;
    return new Report({ text, evidence: [], stats: { turns: 0, cost: 0, finishReason: 'recorded' } }, { record });
  }
  const timeout = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const { status, stdout, stderr, signal } = spawnSync(
    process.execPath,
    [...lifelineArguments(), PROGRAM, 'investigate', record, '--json', '--options-from-stdin'],
    {
      input: JSON.stringify(toProcessOptions(options, timeout)),
      env: toChildEnvironment(process.env, options.env),
      cwd: options.projectRoot ?? process.cwd(),
      // The last one is the pipe whose end the program notices.
      stdio: ['pipe', 'pipe', 'pipe', 'ignore', 'pipe'],
      encoding: 'utf8',
      timeout,
      // Its own programs end with it: they notice that their pipe has closed.
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (status === 0) return new Report(JSON.parse(stdout) as ReportData, { record });
  if (signal === 'SIGKILL') throw new KlendathuError('timeout', `There was no report after ${timeout} ms.`);
  throw toFailure(stderr);
}

/** The last error of the status messages. */
function toFailure(stderr: string): KlendathuError {
  for (const line of stderr.split('\n').toReversed()) {
    try {
      const message = JSON.parse(line) as {
        type: string;
        level?: string;
        code?: string;
        message: string;
        hint?: string;
      };
      if (message.type === 'log' && message.level === 'error') {
        const { code = '' } = message;
        const known = Object.hasOwn(FAILURE_CODES, code) ? (code as FailureCode) : 'cli-died';
        return new KlendathuError(known, message.message, { hint: message.hint });
      }
    } catch {
      // No message.
    }
  }
  return new KlendathuError('cli-died', 'The agent ended without a report.');
}
