import type { VerifiedEvidence } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { findFittingSession, findOther } from '../fitting-session.ts';
import { openKlaus } from '../../client/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { err, out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { EXIT, type ExitCode } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { UsageError } from '../../program/cli-error.ts';
import { createInterruptSignal } from '../../prompt/interrupt-signal.ts';

export const command: LeafCommand = {
  name: 'verify',
  summary: 'run the recorded checks of a session again: exit 0 only when all of them pass',
  examples: ['klaus verify', 'klaus verify 01J'],
  description:
    'Runs the checks of the last run that had any again: the same calls, through the gate, in the sandbox, on the present workspace. The results are written to the log.',
  footer: 'Exit codes: 0 all passed, 1 a check failed or proves nothing, 6 the gate denied one, 9 busy.',
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(
        new IdArgument('[id]', 'sessions', 'session id or its beginning (default: the latest session of this folder)'),
      )
      .option('--yes', 'approve the checks that the gate asks about; denials stay')
      .option('--plain', 'no colours')
      .option('--json', 'the event evidence.verified, on one line'),
  async run(id: string | undefined, options: Options) {
    await using klaus = await openKlaus();
    const session = await findFittingSession(klaus, id, 'checks');
    const runs = await klaus.store.eventsOf(session.id, ['run.finished']);
    if (id === undefined && runs.every(({ evidence }) => evidence.length === 0)) {
      const command = (found: string) => `klaus verify ${found}`;
      const other = await findOther(klaus, { not: session, with: 'checks', command });
      throw new UsageError('No checks were recorded in this session.', other?.text);
    }
    using interrupt = createInterruptSignal();
    const verified = await session.verify({
      by: 'cli',
      signal: interrupt.signal,
      ...(options.yes ? { approve: true } : {}),
      ...(options.json ? {} : { onCheck: (line) => err.write(`$ ${toLine(line, 200)}\n`) }),
    });
    if (options.json) out.json(verified);
    else print(verified, options.plain ?? false);
    return toExit(verified);
  },
};

function print({ checks, isChanged }: VerifiedEvidence, plain: boolean): void {
  const paint = createPaint(out, plain);
  for (const check of checks) {
    const color = check.result === 'passed' ? 'green' : check.result === 'skipped' ? 'yellow' : 'red';
    out.write(`${paint(color, toText(check))}\n`);
  }
  if (isChanged) err.write('The workspace has changed since the recorded checks.\n');
  if (checks.some(({ result, reason = '' }) => result === 'denied' && !/deny/.test(reason)))
    err.write('`--yes` runs the checks that the gate asks about, not those that it denies.\n');
}

function toText({
  command: line,
  exitCode,
  recorded,
  result,
  differs,
  reason,
}: VerifiedEvidence['checks'][number]): string {
  const ended = exitCode === null ? ', ended by a signal' : `, exit ${exitCode}`;
  return [
    `${result}  ${toLine(line, 200)}`,
    result === 'skipped' || result === 'denied' ? '' : ended,
    differs ? `, differs from the record (${recorded === null ? 'a signal' : `exit ${recorded}`})` : '',
    reason === undefined ? '' : `: ${toPrintable(reason)}`,
  ].join('');
}

function toExit({ checks }: VerifiedEvidence): ExitCode {
  if (checks.some(({ result }) => result === 'failed')) return EXIT.failed;
  if (checks.some(({ result }) => result === 'denied')) return EXIT.denied;
  // A check that proves nothing is not verified, and 0 means that all of them are.
  return checks.length > 0 && checks.every(({ result }) => result === 'passed') ? EXIT.done : EXIT.failed;
}
