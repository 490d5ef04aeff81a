import { NO_USAGE, type Usage } from '@klaus/core/protocol';

const BYTES_PER_TOKEN = 4;

/** Without a figure of the server's, limits must still hold: count by length. */
export function estimateUsage(promptBytes: number, answerBytes: number): Usage {
  return {
    ...NO_USAGE,
    input: Math.ceil(promptBytes / BYTES_PER_TOKEN),
    output: Math.ceil(answerBytes / BYTES_PER_TOKEN),
  };
}
