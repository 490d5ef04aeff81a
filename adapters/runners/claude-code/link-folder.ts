import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Name of the variable with the folder for reports of the hook, and of the pipe in it that ends the program. */
export const FOLDER = 'KLAUS_LINK_FOLDER';
export const PIPE = 'stop';

/** Bytes of a report; the hook gets less than one. */
const MAX_BYTES = 65_536;

const reportSchema = z.looseObject({ session_id: z.uuid() });

/**
 * Asks the program to end. The program can write in the folder, so that nothing is followed or changed there.
 *
 * @returns False if it does not listen.
 */
export function askToEnd(folder: string): boolean {
  const pipe = open(join(folder, PIPE), constants.O_WRONLY);
  if (pipe === undefined) return false;
  try {
    return fstatSync(pipe).isFIFO() && writeSync(pipe, '\n') === 1;
  } catch {
    return false;
  } finally {
    closeSync(pipe);
  }
}

/** The id of the session that a report names; undefined for anything else than a report. */
export function readReport(file: string): string | undefined {
  const report = open(file, constants.O_RDONLY);
  if (report === undefined) return undefined;
  try {
    const stats = fstatSync(report);
    if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
    const bytes = Buffer.alloc(MAX_BYTES);
    const text = bytes.toString('utf8', 0, readSync(report, bytes));
    return reportSchema.parse(JSON.parse(text)).session_id;
  } catch {
    return undefined;
  } finally {
    closeSync(report);
  }
}

/** Without waiting for the other end of a pipe. Undefined for a link, and what cannot be opened. */
function open(path: string, access: number): number | undefined {
  try {
    return openSync(path, access | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
}
