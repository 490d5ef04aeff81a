import type { CheckKind, Claim, ClaimStatus, Evidence } from '../../protocol/index.ts';
import { findOpenReds, isSound, isWhole } from './covers.ts';
import type { FoundClaim } from './find-claims.ts';

/** Kinds of checks that can prove a claim of a kind. */
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
 * Sets claims against evidence: what the engine saw decides, never the words around it.
 *
 * @param evidence In the order in which it came, with its freshness at the end of the run.
 */
export function judgeClaims(claims: readonly FoundClaim[], evidence: readonly Evidence[]): Claim[] {
  return claims.map((claim) => {
    const { said, kind } = claim;
    return { said, kind, ...judge(claim, evidence) };
  });
}

/** The worst of all claims; `none` without any. */
export function toClaimStatus(claims: readonly Claim[]): ClaimStatus {
  for (const status of ['contradicted', 'unverified', 'verified'] as const) {
    if (claims.some((claim) => claim.status === status)) return status;
  }
  return 'none';
}

type Judged = Pick<Claim, 'status' | 'reason'>;

function judge(claim: FoundClaim, evidence: readonly Evidence[]): Judged {
  const rows = evidence.filter((row) => isOfKind(row, claim.kind));
  const red = findOpenReds(rows).at(-1);
  const proof = rows.findLast((row) => whyNot(row, claim) === undefined);
  // A narrow check that was green behind a broad red one proves what is said of a part.
  const isPartOnly = proof && !claim.isWhole && red && rows.indexOf(proof) > rows.indexOf(red);
  if (red && !isPartOnly) {
    const ended = `${red.command} ended with ${red.exitCode ?? 'a signal'}`;
    if (red.freshness === 'stale')
      return { status: 'unverified', reason: `${ended} and did not run again since files changed.` };
    return { status: 'contradicted', reason: `${ended} and was not green since.` };
  }
  if (proof) return { status: 'verified', reason: `${proof.command} was green on the files as they are.` };
  const last = rows.at(-1);
  if (!last) return { status: 'unverified', reason: `${NAMES[claim.kind]} in this session.` };
  // The nearest miss says most: a green row before one that proves nothing at all.
  const nearest = rows.findLast((row) => isSound(row) && row.exitCode === 0) ?? last;
  const why = whyNot(nearest, claim)!;
  return { status: why.status, reason: why.reason };
}

function isOfKind({ checks, command }: Evidence, kind: Claim['kind']): boolean {
  // Logs from before checks were read know the command alone.
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
    return unverified(`No states of the workspace were kept, so nothing tells whether ${command} still holds.`);
  }
  if (claim.kind === 'test' && tests && tests.passed === 0) return unverified(`${command} ran no test that passed.`);
  if (claim.isWhole && claim.kind !== 'any' && row.checks) {
    const ofKind = row.checks.filter(({ kind }) => PROVES[claim.kind].includes(kind));
    const narrow = ofKind.every((check) => !isWhole(check));
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
