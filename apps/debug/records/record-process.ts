import { fileURLToPath } from 'node:url';
import type { InvestigateOptions } from '../investigate/options.ts';

/** Path of the program `klendathu`. */
export const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../bin/klendathu.ts' : '../bin/klendathu.js', import.meta.url),
);

/** Options that the program reads from its standard input with `--options-from-stdin`. */
export function toProcessOptions(options: InvestigateOptions, timeoutMs: number) {
  const { model, budget, instructions, extraInstructions, evalTimeoutMs, cliPath, projectRoot } = options;
  return {
    model,
    budget,
    evalTimeoutMs,
    cliPath,
    projectRoot,
    timeoutMs,
    instructions: instructions ?? extraInstructions,
  };
}
