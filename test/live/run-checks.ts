import { type Check, type CheckResult, runCheck } from './check.ts';
import { ANSWER_CHECKS } from './checks/answers.ts';
import { CANCEL_CHECKS } from './checks/cancel.ts';
import { ERROR_CHECKS } from './checks/errors.ts';
import { LOCAL_CHECKS } from './checks/local.ts';
import { OVERFLOW_CHECKS } from './checks/overflow.ts';
import { PREFIX_CHECKS } from './checks/prefix.ts';
import { TOOL_CHECKS } from './checks/tools.ts';
import { createLiveServer } from './live-server.ts';
import { watchSentBodies } from './sent-bodies.ts';
import type { ServerFacts } from './server-facts.ts';
import type { Target, Wire } from './target.ts';

export const CHECKS: readonly Check[] = [
  ...ANSWER_CHECKS,
  ...PREFIX_CHECKS,
  ...CANCEL_CHECKS,
  ...TOOL_CHECKS,
  ...LOCAL_CHECKS,
  ...ERROR_CHECKS,
  ...OVERFLOW_CHECKS,
];

export interface WireReport {
  wire: Wire;
  /** None if the server does not have the wire. */
  results: CheckResult[];
  requests: number;
}

export interface RunOptions {
  target: Target;
  facts: ServerFacts;
  wires: readonly Wire[];
  /** False: a wire that the server does not have is a failure. */
  isAnyWire: boolean;
  /** Names of checks. Default: all. */
  only?: readonly string[];
  onResult?: (wire: Wire, result: CheckResult) => void;
}

/** Runs the checks on each wire, one after the other. */
export async function runChecks(options: RunOptions): Promise<WireReport[]> {
  const { target, facts, wires, isAnyWire, only, onResult } = options;
  const reports: WireReport[] = [];
  for (const wire of wires) {
    using sent = watchSentBodies(new URL(target.baseUrl).host);
    const server = createLiveServer({ target, wire, facts, sent });
    const report: WireReport = { wire, results: [], requests: 0 };
    reports.push(report);
    const { end } = await server.ask(await server.open(), { text: 'Hi.', maxOutputTokens: 16 });
    const isAbsent = end.type === 'failed' && end.failure.cause === 'wrong_address';
    if (!isAbsent || !isAnyWire) {
      for (const check of CHECKS.filter(({ name }) => only === undefined || only.includes(name))) {
        const result = await runCheck(check, server);
        report.results.push(result);
        onResult?.(wire, result);
      }
    }
    report.requests = sent.bodies.length;
  }
  return reports;
}
