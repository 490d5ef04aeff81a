import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { InvestigateOptions, Mode } from '../investigate/options.ts';

export interface RunSettings {
  options: InvestigateOptions & { timeoutMs: number };
  /** Folder of the reports. */
  reports: string;
  /** Investigations of one process. */
  max: number;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_MAX = 10;

/**
 * Settings of a test run, from variables: `KLENDATHU_MODE`, `_MODEL`, `_ACCESS`, `_TIMEOUT_MS` (default 120000),
 * `_BUDGET_USD`, `_REPORTS` (default `klendathu-reports`), `_MAX` (investigations of one process, default 10).
 */
export function readRunSettings(env: Record<string, string | undefined> = process.env): RunSettings {
  // The CLI writes its transcripts there: one folder for all processes of a run, which inherit it.
  env['KLENDATHU_TRANSCRIPTS'] ??= join(tmpdir(), `klendathu-test-${Date.now()}`);
  const usd = toNumber(env['KLENDATHU_BUDGET_USD']);
  return {
    options: {
      mode: env['KLENDATHU_MODE'] as Mode | undefined,
      model: env['KLENDATHU_MODEL'] || undefined,
      access: env['KLENDATHU_ACCESS'] === 'full' ? 'full' : undefined,
      timeoutMs: toNumber(env['KLENDATHU_TIMEOUT_MS']) ?? DEFAULT_TIMEOUT_MS,
      budget: usd === undefined ? undefined : { usd },
    },
    reports: resolve(env['KLENDATHU_REPORTS'] || 'klendathu-reports'),
    max: toNumber(env['KLENDATHU_MAX']) ?? DEFAULT_MAX,
  };
}

function toNumber(text: string | undefined): number | undefined {
  const value = Number(text || Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
