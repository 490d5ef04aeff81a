import type { OpenedContext } from '../investigate/context.ts';
import type { InvestigateOptions } from '../investigate/options.ts';
import { recordOnce, toRecordsFolder } from './record-store.ts';
import { createRecordNow } from '../server/create-record.ts';
import { toFingerprint } from '../stack/fingerprint.ts';

/**
 * Writes the record of an error, or counts it if there is one with the same fingerprint. Synchronous.
 *
 * @param isFresh True: the record has the values of this failure, also if there is an earlier one.
 * @returns The path of the record.
 */
export function recordFailure(opened: OpenedContext, options: InvestigateOptions, isFresh = false): string {
  const projectRoot = options.projectRoot ?? process.cwd();
  const folder = options.recordsFolder ?? toRecordsFolder(projectRoot);
  return recordOnce(folder, { fingerprint: toFingerprint(opened.error), isFresh }, () => {
    const record = createRecordNow({
      error: opened.error,
      context: opened.values,
      descriptions: opened.descriptions,
      projectRoot,
      ...(options.redact !== undefined && { redact: options.redact }),
    });
    if (options.locals !== false) return record;
    return { ...record, frames: record.frames.map(({ locals: _, ...frame }) => frame) };
  });
}
