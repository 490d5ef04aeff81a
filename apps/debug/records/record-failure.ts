import type { OpenedContext } from '../investigate/context.ts';
import type { InvestigateOptions } from '../investigate/options.ts';
import { recordOnce, toRecordsFolder } from './record-store.ts';
import { createRecord } from './create-record.ts';
import { fingerprintOf } from './fingerprint-of.ts';

/**
 * Writes the record of an error, or counts it if there is one with the same fingerprint. Synchronous.
 *
 * @returns The path of the record.
 */
export function recordFailure(opened: OpenedContext, options: InvestigateOptions): string {
  const projectRoot = options.projectRoot ?? process.cwd();
  const folder = options.recordsFolder ?? toRecordsFolder(projectRoot);
  return recordOnce(folder, fingerprintOf(opened.error), () =>
    createRecord(opened, { projectRoot, redact: options.redact, locals: options.locals }),
  );
}
