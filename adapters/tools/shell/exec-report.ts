import type { ExecResult } from '@klaus/core/agent';

export function describeEnd(result: ExecResult, timeoutMs: number): string[] {
  const lines: string[] = [];
  if (result.timedOut)
    lines.push(
      `[ended after ${formatSeconds(timeoutMs)}: time-out, the process tree was stopped; the setting sandbox.timeoutMs allows more]`,
    );
  else if (result.cancelled) lines.push('[cancelled: the process tree was stopped]');
  else if (result.signal !== null) lines.push(`[ended by signal ${result.signal}]`);
  else lines.push(`[exit code ${result.exitCode}]`);
  for (const limit of result.exceeded ?? []) lines.push(`[limit reached: ${limit}]`);
  for (const warning of result.warnings ?? []) lines.push(`[${warning}]`);
  if (result.refusedHosts)
    lines.push(`[the network is limited to some hosts; refused: ${result.refusedHosts.join(', ')}]`);
  if (result.unenforced.length > 0) lines.push(`[not enforced here: ${result.unenforced.join('; ')}]`);
  return lines;
}

/** True if the command ended by itself with exit code 0. */
export function isSuccess(result: ExecResult): boolean {
  return result.exitCode === 0 && !result.timedOut && !result.cancelled;
}

function formatSeconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
