import type { Access, Budget, StatusMessage } from '../contract/index.ts';
import type { Context } from './context.ts';
import type { Stats } from './report.ts';

/**
 * - `live`: the agent looks into this process.
 * - `frozen`: the agent looks at a record, from another process; this one never waits for an evaluation.
 * - `record`: a record is written, and no model is asked.
 * - `auto`: `record` if `NODE_ENV` is `production`, else `live`.
 */
export type Mode = 'auto' | 'live' | 'frozen' | 'record';

/** Options of every run of the CLI. */
export interface RunOptions {
  /** Cancels the run. */
  signal?: AbortSignal | undefined;
  /** Default `read`: the agent cannot change the program. */
  access?: Access | undefined;
  /** Milliseconds for one evaluation. Default 5000. */
  evalTimeoutMs?: number | undefined;
  /** Milliseconds for everything. Default 300000. */
  timeoutMs?: number | undefined;
  budget?: Budget | undefined;
  /** Values, and patterns for values, that are masked in addition to the built-in rules. */
  redact?: readonly (string | RegExp)[] | undefined;
  /** `provider/id`, or a tier. Default: the setting `model` of Klaus. */
  model?: string | undefined;
  /** More instructions for the agent. */
  instructions?: string | undefined;
  /** The former name of `instructions`. */
  extraInstructions?: string | undefined;
  /** Folder whose sources the agent may read. Default: the working folder. */
  projectRoot?: string | undefined;
  /** Program of the CLI. Default: `KLENDATHU_CLI`, the package `klendathu-cli`, or the `PATH`. */
  cliPath?: string | undefined;
  /** Variables for the CLI, which else gets keys of providers, proxies, `KLAUS_*`, `PATH` and `HOME` only. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface InvestigateOptions extends RunOptions {
  /** More items for the agent, by name. */
  context?: Context | undefined;
  /** Default `auto`, or the variable `KLENDATHU_MODE`. */
  mode?: Mode | undefined;
  /** Default true: a record holds the variables of the frames, if `arm()` captured them. */
  locals?: boolean | undefined;
  /**
   * Default true: an error shares the run and the report of an earlier one with its fingerprint and the same values, of
   * its context and of its captured variables. `fingerprint`, the default of the hooks: other values do not matter, and
   * a record is written for the first error only. False: never.
   */
  dedupe?: boolean | 'fingerprint' | undefined;
  /** Folder of records. Default: `.klendathu/records` in the project. */
  recordsFolder?: string | undefined;
}

/** An event of the log of the session, as Klaus appends it. */
export interface LogEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The parts of a run. Each can be used without the others. */
export interface RunParts {
  /** Status messages. Any number of readers; each gets all of them. Ends with the run and never throws. */
  readonly stderr: AsyncIterable<StatusMessage>;
  /** Events of the log of the session. Any number of readers. Ends with the run and never throws. */
  readonly events: AsyncIterable<LogEvent>;
  /** Statistics of the run. Never rejects. */
  readonly summary: Promise<Stats>;
  /** Ends the run with the code `cancelled`. No effect after its end. */
  cancel(): void;
}
