import { readReport } from '../launch/judge-end.ts';
import { toExactKey } from '../evaluate/copy/exact-key.ts';
import { toFingerprint } from '../stack/fingerprint.ts';
import { toFrames } from '../stack/to-frames.ts';
import { startDebugServer } from '../server/debug-server.ts';
import { resolveMode } from './check-options.ts';
import type { OpenedContext } from './context.ts';
import { findAgent, launchAgent } from './launch-agent.ts';
import type { InvestigateOptions } from './options.ts';
import { Report } from './report.ts';
import { shareRun } from './shared-runs.ts';
import type { Run, RunControl } from './start-run.ts';

interface Work {
  opened: OpenedContext;
  options: InvestigateOptions;
  control: RunControl;
  run: Run<Report>;
}

/** An investigation in the mode of its options. */
export async function work({ opened, options, control, run }: Work): Promise<Report> {
  const mode = resolveMode(options);
  if (mode === 'record') {
    const { recordOnly } = await import('../records/record-only.ts');
    return recordOnly(opened, options, control);
  }
  const values = typeof options.dedupe === 'boolean' || options.dedupe === undefined ? toValuesKey(opened) : '';
  if (options.dedupe !== false && opened.error !== undefined && values !== undefined) {
    const key = JSON.stringify([
      toFingerprint(opened.error),
      values,
      mode,
      options.access ?? 'read',
      options.model,
      options.instructions ?? options.extraInstructions,
      Object.keys(opened.values),
    ]);
    const shared = await shareRun(key, run, control);
    if (shared !== undefined) return shared;
  }
  if (mode === 'frozen') {
    const { investigateFrozen } = await import('../records/investigate-frozen.ts');
    return investigateFrozen(opened, options, control);
  }
  return investigateLive(opened, options, control);
}

/** Undefined for values that are too many to compare. */
function toValuesKey({ error, values }: OpenedContext): string | undefined {
  const locals = toFrames(error).map(({ locals: found }) => found && [...found]);
  return toExactKey({ error, values, locals }, false);
}

async function investigateLive(opened: OpenedContext, options: InvestigateOptions, control: RunControl) {
  const place = await findAgent(options);
  control.signal.throwIfAborted();
  const server = await startDebugServer({
    error: opened.error,
    context: opened.values,
    descriptions: opened.descriptions,
    ...pickServerOptions(options),
  });
  try {
    const end = await launchAgent({ server, task: { mode: 'investigate' }, place }, options, control);
    control.signal.throwIfAborted();
    return new Report(await readReport(end, opened.error));
  } finally {
    await server.close();
  }
}

/** The options of a run that concern the server in this process. */
export function pickServerOptions({ access, evalTimeoutMs, budget, redact }: InvestigateOptions) {
  return {
    ...(access !== undefined && { access }),
    ...(evalTimeoutMs !== undefined && { evalTimeoutMs }),
    ...(budget?.evals !== undefined && { maxEvals: budget.evals }),
    ...(redact !== undefined && { redact }),
  };
}
