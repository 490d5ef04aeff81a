import { NO_USAGE, type Usage } from '@klaus/core/protocol';

/** Tokens as both APIs report them. */
interface WireUsage {
  /** Includes cached tokens. */
  input: number | null | undefined;
  output: number | null | undefined;
  details: { cached_tokens?: number | null; cache_write_tokens?: number | null } | null | undefined;
}

export function toUsage({ input, output, details }: WireUsage): Usage {
  const cacheRead = details?.cached_tokens ?? 0;
  const cacheWrite = details?.cache_write_tokens ?? 0;
  return { input: Math.max(0, (input ?? 0) - cacheRead - cacheWrite), output: output ?? 0, cacheRead, cacheWrite };
}

const BYTES_PER_TOKEN = 4;

/** Estimates usage by length for servers that report none, so that limits still apply. */
export function estimateUsage(promptBytes: number, answerBytes: number): Usage {
  return {
    ...NO_USAGE,
    input: Math.ceil(promptBytes / BYTES_PER_TOKEN),
    output: Math.ceil(answerBytes / BYTES_PER_TOKEN),
  };
}
