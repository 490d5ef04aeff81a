import type { Evidence, Fix, ReportData, RootCause, Summary } from '../contract/index.ts';

/** Statistics of an investigation. */
export type Stats = ReportData['stats'];

export interface ReportExtras {
  /** File of the record, if one was written. */
  record?: string | undefined;
  /** Failures with the same fingerprint in this process, this one included. Default 1. */
  occurrences?: number | undefined;
}

export function toStats({ type: _, timestamp: __, ...stats }: Summary): Stats {
  return stats;
}

/** What an investigation found. `String(report)`, a template and `console.log` give its text. */
export class Report {
  /** The answer in prose, as Markdown. */
  readonly text: string;
  readonly rootCause: RootCause | undefined;
  readonly evidence: readonly Evidence[];
  /** A patch, which is not applied. */
  readonly fix: Fix | undefined;
  readonly stats: Stats;
  readonly record: string | undefined;
  readonly occurrences: number;

  constructor(
    data: Readonly<Omit<ReportData, 'evidence'>> & { readonly evidence: readonly Evidence[] },
    extras: ReportExtras = {},
  ) {
    this.text = data.text;
    this.rootCause = data.rootCause;
    this.evidence = data.evidence;
    this.fix = data.fix;
    this.stats = data.stats;
    this.record = extras.record;
    this.occurrences = extras.occurrences ?? 1;
  }

  toString(): string {
    return this.text;
  }

  [Symbol.toPrimitive](): string {
    return this.text;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.text;
  }
}
