import type { CheckKind, Claim, ClaimStatus, Evidence } from '../../protocol/index.ts';
import { findOpenReds, isSound, isComplete } from './covers.ts';
import type { FoundClaim } from './find-claims.ts';

const PROVES: Readonly<Record<Claim['kind'], readonly CheckKind[]>> = {
  test: ['test'],
  types: ['types'],
  lint: ['lint'],
  format: ['format', 'lint'],
  build: ['build', 'types'],
  any: ['test', 'types', 'lint', 'format', 'build', 'other'],
};

const NAMES: Readonly<Record<Claim['kind'], string>> = {
  test: 'No tests ran',
  types: 'No type check ran',
  lint: 'No linter ran',
  format: 'No format check ran',
  build: 'No build ran',
  any: 'No check ran',
};

/**
 * Compares claims with evidence. Only the recorded results decide, not the text around a claim.
 *
 * @param evidence In order, with its freshness at the end of the run.
 */
export function judgeClaims(claims: readonly FoundClaim[], evidence: readonly Evidence[]): Claim[] {
  return claims.map((claim) => {
    const { said, kind } = claim;
    return { said, kind, ...judge(claim, evidence) };
  });
}

/** The worst of all claims; `none` without any. */
export function toClaimStatus(claims: readonly Claim[]): ClaimStatus {
  const worstFirst = ['contradicted', 'unverified', 'verified'] as const;
  return worstFirst.find((status) => claims.some((claim) => claim.status === status)) ?? 'none';
}

type Judged = Pick<Claim, 'status' | 'reason'>;

function judge(claim: FoundClaim, evidence: readonly Evidence[]): Judged {
  const rows = evidence.filter((row) => isOfKind(row, claim.kind));
  const red = findOpenReds(rows).at(-1);
  const proof = rows.findLast((row) => whyNot(row, claim) === undefined);
  // A narrow success after a broad failure proves a claim about a part.
  const isPartOnly = proof && !claim.isComplete && red && rows.indexOf(proof) > rows.indexOf(red);
  if (red && !isPartOnly) {
    const ended = `${red.command} ended with ${red.exitCode ?? 'a signal'}`;
    if (red.freshness === 'stale')
      return { status: 'unverified', reason: `${ended} and did not run again since files changed.` };
    return { status: 'contradicted', reason: `${ended} and was not green since.` };
  }
  if (proof) return { status: 'verified', reason: `${proof.command} was green on the files as they are.` };
  const last = rows.at(-1);
  if (!last) return { status: 'unverified', reason: `${NAMES[claim.kind]} in this session.` };
  // The closest evidence explains most: a success before one that proves nothing.
  const nearest = rows.findLast((row) => isSound(row) && row.exitCode === 0) ?? last;
  const why = whyNot(nearest, claim)!;
  return { status: why.status, reason: why.reason };
}

function isOfKind({ checks, command }: Evidence, kind: Claim['kind']): boolean {
  // In older logs only the command is known.
  if (!checks) return kind === 'any' || (kind === 'test' ? /test|spec/i.test(command) : command.includes(kind));
  return checks.some((check) => PROVES[kind].includes(check.kind));
}

function whyNot(row: Evidence, claim: FoundClaim): Judged | undefined {
  const unverified = (reason: string): Judged => ({ status: 'unverified', reason });
  const { command, tests } = row;
  if (row.doubt !== undefined) return unverified(`${command} proves nothing: ${row.doubt}.`);
  if (row.exitCode !== 0) return unverified(`${command} ended with ${row.exitCode ?? 'a signal'}.`);
  if (row.weakened !== undefined) return unverified(`${command} was green, but ${row.weakened}.`);
  if (row.freshness === 'stale') {
    const paths = (row.changed ?? []).slice(0, 3).join(', ');
    return unverified(`Files changed after ${command} was green${paths === '' ? '' : `: ${paths}`}.`);
  }
  if (row.freshness !== 'fresh') {
    return unverified(`No states of the workspace were stored, so it is not known whether ${command} still holds.`);
  }
  if (claim.kind === 'test' && tests && tests.passed === 0) return unverified(`${command} ran no test that passed.`);
  if (claim.isComplete && claim.kind !== 'any' && row.checks) {
    const ofKind = row.checks.filter(({ kind }) => PROVES[claim.kind].includes(kind));
    const narrow = ofKind.every((check) => !isComplete(check));
    if (narrow) return unverified(`Only a part was checked: ${command}.`);
  }
  if (claim.count !== undefined && tests) {
    const { passed, failed, skipped } = tests;
    if (claim.count > passed + failed + skipped) {
      return { status: 'contradicted', reason: `${command} counted ${passed} passed, not ${claim.count}.` };
    }
  }
  return undefined;
}
