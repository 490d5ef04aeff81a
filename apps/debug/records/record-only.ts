import type { OpenedContext } from '../investigate/context.ts';
import { KlendathuError } from '../investigate/klendathu-error.ts';
import type { InvestigateOptions } from '../investigate/options.ts';
import { Report } from '../investigate/report.ts';
import type { RunControl } from '../investigate/start-run.ts';
import { messageOf } from '../investigate/message-of.ts';
import { recordFailure } from './record-failure.ts';
import { readRecord } from './record-store.ts';

/** Writes a record, without a model. The text of the report names it. */
export async function recordOnly(
  opened: OpenedContext,
  options: InvestigateOptions,
  control: RunControl,
): Promise<Report> {
  const path = tryRecord(opened, options, options.dedupe !== 'fingerprint');
  const { count } = await readRecord(path);
  const stats = { turns: 0, cost: 0, finishReason: 'recorded' };
  control.status({ type: 'summary', ...stats, timestamp: new Date().toISOString() });
  const text = `Recorded: ${path}\nInvestigate it with: npx klendathu investigate ${path}`;
  return new Report({ text, evidence: [], stats }, { record: path, occurrences: count });
}

/** @throws KlendathuError `server` if the folder cannot be written. */
export function tryRecord(opened: OpenedContext, options: InvestigateOptions, isFresh = false): string {
  try {
    return recordFailure(opened, options, isFresh);
  } catch (error) {
    throw new KlendathuError('server', `The record cannot be written: ${messageOf(error)}`, {
      hint: 'Set the option `recordsFolder` to a folder that this process may write.',
      cause: opened.error,
    });
  }
}
