import { NO_USAGE, type Usage } from '@klaus/core/protocol';

const BYTES_PER_TOKEN = 4;

/** Estimates usage by length for servers that report none, so that limits still apply. */
export function estimateUsage(promptBytes: number, answerBytes: number): Usage {
  return {
    ...NO_USAGE,
    input: Math.ceil(promptBytes / BYTES_PER_TOKEN),
    output: Math.ceil(answerBytes / BYTES_PER_TOKEN),
  };
}
