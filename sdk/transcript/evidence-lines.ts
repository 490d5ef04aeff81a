import type { Claim, Evidence, EventOf } from '@klaus/core/protocol';

export interface EvidenceLine {
  mark: 'ok' | 'warn' | 'bad';
  text: string;
  kind: 'check' | 'claim';
  /** A secondary text after it. */
  detail: string;
}

const MAX_PATHS = 3;

/** The final results of a run's checks, each command once, and the unverified claims. */
export function toEvidenceLines({ evidence, claims = [] }: EventOf<'run.finished'>): EvidenceLine[] {
  // Of a check that ran several times, only the last result is valid.
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

/** Why a check is not valid for the present files; '' if it is, and for logs without that information. */
function toStale({ freshness, changed = [] }: Evidence): string {
  if (freshness === 'unknown') return 'no states of the workspace were kept';
  if (freshness !== 'stale') return '';
  const more = changed.length > MAX_PATHS ? ', …' : '';
  return `files changed since (${changed.slice(0, MAX_PATHS).join(', ')}${more})`;
}

export function toClaimLine({ said, status, reason }: Claim): EvidenceLine {
  const mark = status === 'contradicted' ? 'bad' : status === 'unverified' ? 'warn' : 'ok';
  return { kind: 'claim', mark, text: `${status}: "${said}"`, detail: reason };
}
