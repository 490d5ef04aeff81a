import { type GuardOptions, toSandboxPath } from '@klaus/claude-code/hooks';
import type { Klaus } from '@klaus/sdk';
import { createJudge, createVerdictCache } from '@klaus/sdk/guard';

/** The guard as the settings of the user want it. */
export function toGuardOptions(klaus: Klaus): GuardOptions {
  const { configuration } = klaus;
  return {
    klaus,
    mcp: configuration.get('guard.mcp'),
    // The setting can change while the daemon runs.
    sandbox: () => (klaus.configuration.get('guard.sandbox') ? toSandboxPath(klaus.home) : undefined),
    mode: configuration.get('guard.mode'),
    usdPerDay: configuration.get('guard.usdPerDay'),
    deadlineMs: configuration.get('guard.deadlineMs'),
    judge: createJudge({ configuration, home: klaus.home, redact: (text) => klaus.redact(text) }),
    cache: createVerdictCache(),
  };
}
