import { CheckFailed, CheckSkipped } from './check-error.ts';
import type { LiveServer } from './live-server.ts';

/** One promise of the clients, checked at a real server. */
export interface Check {
  name: string;
  /** @returns What was observed. @throws CheckFailed, CheckSkipped. */
  run: (server: LiveServer) => Promise<string>;
}

export interface CheckResult {
  name: string;
  status: 'passed' | 'failed' | 'skipped';
  /** What was observed, or the reason. */
  detail: string;
}

/** An error is a failed check, so that the other checks run. */
export async function runCheck({ name, run }: Check, server: LiveServer): Promise<CheckResult> {
  try {
    return { name, status: 'passed', detail: await run(server) };
  } catch (error) {
    if (error instanceof CheckSkipped) return { name, status: 'skipped', detail: error.message };
    const detail = error instanceof CheckFailed ? error.message : String(error instanceof Error ? error.stack : error);
    return { name, status: 'failed', detail };
  }
}
