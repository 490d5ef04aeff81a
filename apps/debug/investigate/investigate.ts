import { checkOptions, resolveMode } from './check-options.ts';
import { checkRuntime } from './check-runtime.ts';
import { isThrown, openContext, type Context, type OpenedContext } from './context.ts';
import type { InvestigateOptions } from './options.ts';
import type { Report } from './report.ts';
import { startRun, type Run } from './start-run.ts';

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
    if (opened === undefined) throw problem;
    checkOptions(options);
    checkRuntime(resolveMode(options));
    // Loaded with the first investigation: importing this package must be cheap.
    const { work } = await import('./work.ts');
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
    values: { ...own.values, ...items.values },
    descriptions: { ...own.descriptions, ...items.descriptions },
  };
}
