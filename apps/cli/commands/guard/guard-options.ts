import type { GuardOptions } from '@klaus/claude-code/hooks';
import type { Klaus } from '@klaus/sdk';
import { createJudge, createVerdictCache } from '@klaus/sdk/guard';

/** The guard as the settings of the user want it. */
export function toGuardOptions(klaus: Klaus): GuardOptions {
  const { configuration } = klaus;
  return {
    klaus,
    mcp: configuration.get('guard.mcp'),
    mode: configuration.get('guard.mode'),
    usdPerDay: configuration.get('guard.usdPerDay'),
    deadlineMs: configuration.get('guard.deadlineMs'),
    judge: createJudge({ configuration, home: klaus.home, redact: (text) => klaus.redact(text) }),
    cache: createVerdictCache(),
  };
}
