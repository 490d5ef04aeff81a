import type { Chain } from './chain.ts';
import { StageFailure } from './failure.ts';
import { findChecks } from './find-checks.ts';
import type { Check, CheckResult } from './result.ts';
import { summarise } from './summarise.ts';

/** Milliseconds for one command. */
const TIMEOUT_MS = 20 * 60_000;

/**
 * Runs the checks of the project in the sandbox, all of them also after a failure.
 *
 * @throws StageFailure `check.failed` with the checks.
 */
export async function check(chain: Chain): Promise<CheckResult> {
  const commands = findChecks(chain.folder);
  const checks: Check[] = [];
  for (const command of commands) {
    chain.report(`check: ${command}`);
    const input = { command, timeoutMs: TIMEOUT_MS };
    const { outcome, output, detail, durationMs } = await chain.call('check', { name: 'run_command', input });
    const { exitCode = null } = (detail ?? {}) as { exitCode?: number | null };
    const passed = outcome === 'ok' && exitCode === 0;
    checks.push({ command, passed, exitCode, durationMs, summary: passed ? '' : summarise(output) });
  }
  const failed = checks.filter(({ passed }) => !passed);
  if (failed.length === 0) {
    const names = commands.join(', ');
    const message = commands.length === 0 ? 'This project has no checks.' : `All checks passed: ${names}.`;
    return { ok: true, message, checks };
  }
  const names = failed.map(({ command, exitCode }) => `${command} (exit code ${exitCode ?? 'unknown'})`).join(', ');
  throw new StageFailure({ stage: 'check', code: 'check.failed' }, `Failed: ${names}.`, {
    hint: 'Fix what the checks report, then try again.',
    checks,
  });
}
