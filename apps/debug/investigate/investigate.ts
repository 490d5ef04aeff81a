import { checkOptions, resolveMode } from './check-options.ts';
import { isThrown, openContext, type Context, type OpenedContext } from './context.ts';
import { findAgent, launchAgent } from './launch-agent.ts';
import type { InvestigateOptions } from './options.ts';
import { Report } from './report.ts';
import { shareRun } from './shared-runs.ts';
import { startRun, type Run, type RunControl } from './start-run.ts';

/** A report to come, with its parts: `stderr`, `events`, `summary` and `cancel()`. */
export type Investigation = Run<Report>;

/**
 * Asks an agent why `error` was thrown. It looks at the error, at the items of the context and, while the program runs,
 * into this process. Rejects with a `KlendathuError` only.
 *
 * @param error The thrown value; or a plain object, the context: its item `error`, or else its first error, is the error.
 */
export function investigate(error: unknown, options: InvestigateOptions = {}): Investigation {
  let subject: unknown = isThrown(error) ? error : undefined;
  let opened: OpenedContext | undefined;
  let problem: unknown;
  try {
    opened = openTarget(error, options.context);
    subject = opened.error;
  } catch (thrown) {
    problem = thrown;
  }
  const run: Investigation = startRun(subject, options, async (control) => {
    checkOptions(options);
    if (opened === undefined) throw problem;
    return work({ opened, options, control, run });
  });
  return run;
}

function openTarget(target: unknown, more: Context = {}): OpenedContext {
  const items = openContext(more);
  if (isThrown(target)) return { ...items, error: target, values: { error: target, ...items.values } };
  const own = openContext(target as Context);
  return {
    error: own.error ?? items.error,
    values: { ...items.values, ...own.values },
    descriptions: { ...items.descriptions, ...own.descriptions },
  };
}

interface Work {
  opened: OpenedContext;
  options: InvestigateOptions;
  control: RunControl;
  run: Investigation;
}

async function work({ opened, options, control, run }: Work): Promise<Report> {
  const mode = resolveMode(options);
  if (mode === 'record') {
    const { recordOnly } = await import('../records/record-only.ts');
    return recordOnly(opened, options, control);
  }
  if (options.dedupe !== false && opened.error !== undefined) {
    const { fingerprintOf } = await import('../records/fingerprint-of.ts');
    const key = JSON.stringify([
      fingerprintOf(opened.error),
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

async function investigateLive(opened: OpenedContext, options: InvestigateOptions, control: RunControl) {
  const [place, { startDebugServer }, { readReport }] = await Promise.all([
    findAgent(options),
    import('../server/debug-server.ts'),
    import('../launch/judge-end.ts'),
  ]);
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
