import { pickServerOptions } from '../investigate/work.ts';
import { KlendathuError } from '../investigate/klendathu-error.ts';
import { findAgent, launchAgent } from '../investigate/launch-agent.ts';
import type { RunOptions } from '../investigate/options.ts';
import { Report } from '../investigate/report.ts';
import { startRun, type Run } from '../investigate/start-run.ts';
import { readReport } from '../launch/judge-end.ts';
import { serveRecord } from '../server/from-record.ts';
import { messageOf } from '../investigate/message-of.ts';
import { readRecord } from './record-store.ts';

/** Asks an agent about a recorded failure. Rejects with a `KlendathuError` only. */
export function investigateRecord(path: string, options: RunOptions): Run<Report> {
  return startRun(undefined, options, async (control) => {
    const record = await readRecord(path).catch((error: unknown) => {
      throw new KlendathuError('input', `${path} is no record: ${messageOf(error)}`);
    });
    const place = await findAgent({ ...options, projectRoot: options.projectRoot ?? record.projectRoot });
    const server = await serveRecord(record, pickServerOptions(options));
    try {
      const end = await launchAgent({ server, task: { mode: 'investigate' }, place }, options, control);
      control.signal.throwIfAborted();
      return new Report(await readReport(end, undefined), { record: path, occurrences: record.count });
    } finally {
      await server.close();
    }
  });
}
