import type { OnAsk, Part } from '@klaus/sdk';
import type { Output } from '../output/output.ts';
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
