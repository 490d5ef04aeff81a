import type { FailureCode, ReportData } from '../contract/index.ts';
import { KlendathuError } from '../investigate/klendathu-error.ts';
import type { CliEnd } from './run-cli.ts';

/**
 * The report that the CLI printed.
 *
 * @throws KlendathuError with the failure that the CLI reported, or `cli-died`, or `cli-outdated`. Its cause is `subject`.
 */
export async function readReport(end: CliEnd, subject: unknown): Promise<ReportData> {
  if (end.exitCode !== 0) throw await toFailure(end, subject);
  const { reportSchema } = await import('../contract/index.ts');
  const parsed = reportSchema.safeParse(parseJson(end.output));
  if (parsed.success) return parsed.data;
  throw new KlendathuError('cli-outdated', 'The agent ended without a report that this version can read.', {
    hint: 'Install versions of `klendathu` and `klendathu-cli` that belong together.',
    cause: subject,
  });
}

/** Why the CLI ended with another exit code than 0. */
export async function toFailure(
  { exitCode, signal, failure, summary, noise }: CliEnd,
  subject: unknown,
): Promise<KlendathuError> {
  const { FAILURE_CODES } = await import('../contract/index.ts');
  const isCode = (code: string | undefined): code is FailureCode =>
    code !== undefined && Object.hasOwn(FAILURE_CODES, code);
  const found = Object.entries(FAILURE_CODES).find(([, status]) => status === exitCode)?.[0];
  const cause = { cause: subject };
  if (failure !== undefined && isCode(failure.code)) {
    return new KlendathuError(failure.code, failure.message, { hint: failure.hint, ...cause });
  }
  const last = noise.at(-1);
  if (noise.some((line) => /unknown option|unrecognized (?:option|argument)|bad option/iu.test(line))) {
    const hint = 'Install a version of `klendathu-cli` that belongs to this one.';
    return new KlendathuError('cli-outdated', `The agent does not know an option: ${last}`, { hint, ...cause });
  }
  if (signal === null && isCode(found) && (summary !== undefined || failure !== undefined)) {
    return new KlendathuError(found, failure?.message ?? `The agent ended with the code ${found}.`, {
      hint: failure?.hint,
      ...cause,
    });
  }
  const how = signal === null ? `with the exit code ${exitCode}` : `by ${signal}`;
  return new KlendathuError('cli-died', `The agent ended ${how}, without a report.`, {
    hint: last === undefined ? undefined : `Its last output was: ${last}`,
    ...cause,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
