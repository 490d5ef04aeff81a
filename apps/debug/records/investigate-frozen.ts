import { readReport } from '../launch/judge-end.ts';
import { runCli } from '../launch/run-cli.ts';
import { toChildEnvironment } from '../launch/child-environment.ts';
import type { OpenedContext } from '../investigate/context.ts';
import type { InvestigateOptions } from '../investigate/options.ts';
import { Report } from '../investigate/report.ts';
import type { RunControl } from '../investigate/start-run.ts';
import { tryRecord } from './record-only.ts';
import { PROGRAM, toProcessOptions } from './record-process.ts';

/** Makes a record at once, and investigates it in another process. */
export async function investigateFrozen(
  opened: OpenedContext,
  options: InvestigateOptions,
  control: RunControl,
): Promise<Report> {
  const record = tryRecord(opened, options, true);
  const command = {
    cli: PROGRAM,
    node: process.execPath,
    env: toChildEnvironment(process.env, options.env),
    folder: options.projectRoot ?? process.cwd(),
    args: ['investigate', record, '--options-from-stdin'],
  };
  const end = await runCli(command, toProcessOptions(options, control.remainingMs()), {
    signal: control.signal,
    onStatus: control.status,
    onEvent: control.event,
  });
  control.signal.throwIfAborted();
  return new Report(await readReport(end, opened.error), { record });
}
