import type { Output } from '../output/output.ts';
import { createOutput } from '../output/show-output.ts';
import { type Options, toOutputFormat } from '../program/options.ts';
import type { RunSessionOptions } from './run-session.ts';

/** What a command does with the result of its run, in addition to showing its events. */
export interface RunResult {
  /** Shows the run, and collects what the result needs. */
  output: Output;
  /** Prints the result. @returns The exit code, from that of the run. */
  finish(run: RunSessionOptions, exitCode: number): Promise<number>;
}

/** The result that the options ask for. Only a document needs more than the events. */
export async function openRunResult(options: Options): Promise<RunResult> {
  if (toOutputFormat(options) !== 'json')
    return { output: createOutput(options), finish: (_, exitCode) => Promise.resolve(exitCode) };
  const { createResultDocument } = await import('./result-document.ts');
  return createResultDocument(options);
}
