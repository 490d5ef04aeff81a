import type { Claim, Evidence, EventOf } from '@klaus/core/protocol';

/** One line about a check or a claim. */
export interface EvidenceLine {
  mark: 'ok' | 'warn' | 'bad';
  text: string;
  kind: 'check' | 'claim';
  /** What is said more quietly behind it. */
  detail: string;
}

const MAX_PATHS = 3;

/** The checks of a run as it ended, each command once, and the claims that they do not hold. */
export function toEvidenceLines({ evidence, claims = [] }: EventOf<'run.finished'>): EvidenceLine[] {
  // Of a check that ran several times, only the last result is the state of things.
  const last = new Map(evidence.map((check) => [JSON.stringify([check.command, check.checks?.[0]?.cwd ?? '']), check]));
  return [
    ...[...last.values()].map(toCheckLine),
    ...claims.filter(({ status }) => status !== 'verified').map(toClaimLine),
  ];
}

function toCheckLine(check: Evidence): EvidenceLine {
  const { command, exitCode, doubt, weakened } = check;
  const base = { kind: 'check' as const, text: command };
  const ended = exitCode === null ? 'ended by a signal' : `exit ${exitCode}`;
  if (doubt !== undefined) return { ...base, mark: 'warn', detail: `${ended}, proves nothing: ${doubt}` };
  const stale = toStale(check);
  if (exitCode !== 0) return { ...base, mark: 'bad', detail: stale === '' ? ended : `${ended}, ${stale}` };
  if (weakened !== undefined) return { ...base, mark: 'warn', detail: `${ended}, unverified: ${weakened}` };
  if (stale !== '') return { ...base, mark: 'warn', detail: `${ended}, unverified: ${stale}` };
  return { ...base, mark: 'ok', detail: ended };
}

/** Why a check says nothing about the files as they are; '' where it does, and in logs that do not tell. */
function toStale({ freshness, changed = [] }: Evidence): string {
  if (freshness === 'unknown') return 'no states of the workspace were kept';
  if (freshness !== 'stale') return '';
  const more = changed.length > MAX_PATHS ? ', …' : '';
  return `files changed since (${changed.slice(0, MAX_PATHS).join(', ')}${more})`;
}

/** The model's words with what they are worth. */
export function toClaimLine({ said, status, reason }: Claim): EvidenceLine {
  const mark = status === 'contradicted' ? 'bad' : status === 'unverified' ? 'warn' : 'ok';
  return { kind: 'claim', mark, text: `${status}: "${said}"`, detail: reason };
}
