import type { Evidence } from '../../protocol/index.ts';
import { covers } from './covers.ts';

/**
 * Why a check proves less than one before it: it ran fewer tests, or they made fewer assertions.
 *
 * @param earlier Checks since which only the session changed files.
 */
export function findFewerTests(row: Evidence, earlier: readonly Evidence[]): string | undefined {
  const { tests } = row;
  if (!tests) return undefined;
  const same = earlier.filter((other) => other.tests !== undefined && covers(row, other));
  const ran = tests.passed + tests.failed;
  const most = Math.max(0, ...same.map((other) => other.tests!.passed + other.tests!.failed));
  if (ran < most) return `it ran ${ran} tests, and before ${most}`;
  const asserted = Math.max(0, ...same.map((other) => other.tests!.assertions ?? 0));
  if (tests.assertions !== undefined && tests.assertions < asserted)
    return `its tests made ${tests.assertions} assertions, and before ${asserted}`;
  return undefined;
}
