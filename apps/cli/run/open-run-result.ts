import type { OnAsk, Part } from '@klaus/sdk';
import type { Output } from '../output/output.ts';
import { createOutput } from '../output/show-output.ts';
import { type Options, toOutputFormat } from '../program/options.ts';
import type { RunSessionOptions } from './run-session.ts';

/** What a command does with the result of its run, in addition to showing its events. */
export interface RunResult {
  /** Shows the run, and collects what the result needs. */
  output: Output;
  /** What a prompt contains in addition. */
  parts: readonly Part[];
  /** Prints the result. @returns The exit code, from that of the run. */
  finish(run: ResultRun, exitCode: number): Promise<number>;
}

/** A run whose session can get further prompts. */
export interface ResultRun extends RunSessionOptions {
  onAsk: OnAsk;
}

/**
 * The result that the options ask for. Only a document and a schema need more than the output.
 *
 * @throws UsageError for a schema that is not valid.
 */
export async function openRunResult(options: Options): Promise<RunResult> {
  if (toOutputFormat(options) === 'json' || options.outputSchema !== undefined) {
    const { createResultDocument } = await import('./result-document.ts');
    return createResultDocument(options);
  }
  return { output: createOutput(options), parts: [], finish: (_, exitCode) => Promise.resolve(exitCode) };
}
