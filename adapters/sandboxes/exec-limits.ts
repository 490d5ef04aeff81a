import type { ExecLimits } from '@klaus/core/agent';
import { optional } from '@klaus/core/optional';
import { KlausError } from '@klaus/core/protocol';

export const DEFAULT_EXEC_LIMITS: ExecLimits = { timeoutMs: 120_000, memoryMb: 1_024, cpus: 1, processes: 256 };

/** Milliseconds. A longer timer would fire immediately. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** 1 PiB in MiB. The kernel rejects larger numbers, so that there would be no limit. */
const MOST_MEMORY = 2 ** 30;

/** Later parts override earlier ones. @throws KlausError `usage` for a value that is not a positive number. */
export function toExecLimits(...parts: readonly (Partial<ExecLimits> | undefined)[]): ExecLimits {
  const limits = { ...DEFAULT_EXEC_LIMITS };
  for (const part of parts) Object.assign(limits, optional(part ?? {}));
  for (const [key, value] of Object.entries(limits)) {
    if (!(Number.isFinite(value) && value > 0))
      throw new KlausError('usage', `The limit ${key} must be a positive number.`);
  }
  return {
    ...limits,
    timeoutMs: Math.min(limits.timeoutMs, LONGEST_TIMER),
    memoryMb: Math.min(limits.memoryMb, MOST_MEMORY),
  };
}
