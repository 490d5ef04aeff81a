import type { GuardOptions } from '@klaus/claude-code/hooks';
import type { Klaus } from '@klaus/sdk';

/** The guard as the settings of the user want it. */
export function toGuardOptions(klaus: Klaus): GuardOptions {
  const { configuration } = klaus;
  return {
    klaus,
    mcp: configuration.get('guard.mcp'),
    mode: configuration.get('guard.mode'),
    deadlineMs: configuration.get('guard.deadlineMs'),
  };
}
