import type { Usage } from '@klaus/core/protocol';
import { toCount } from '../wire/usage-check.ts';

/** Tokens as both APIs report them, which compatible servers replace by anything. */
interface WireUsage {
  /** Includes cached tokens. */
  input: unknown;
  output: unknown;
  details: { cached_tokens?: unknown; cache_write_tokens?: unknown } | null | undefined;
}

/** A count that is missing or none is 0, which the check of usage replaces by an estimate. */
export function toUsage({ input, output, details }: WireUsage): Usage {
  const prompt = toCount(input) ?? 0;
  const read = toCount(details?.cached_tokens) ?? 0;
  const write = toCount(details?.cache_write_tokens) ?? 0;
  const [cacheRead, cacheWrite] = read + write <= prompt ? [read, write] : [0, 0];
  return { input: prompt - cacheRead - cacheWrite, output: toCount(output) ?? 0, cacheRead, cacheWrite };
}
