import type { VerifiedEvidence } from '@klaus/sdk';
import { EXIT, type ExitCode } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { findFittingSession } from '../workspace/undo.ts';
import { err, out } from '../../output/sink.ts';

export interface VerifyCommandOptions {
  json?: true;
  yes?: true;
  plain?: true;
}

/** `klaus verify [ID]`: runs the checks of a session's last run again. Exit 0 only when every one of them passed. */
export async function verify(id: string | undefined, options: VerifyCommandOptions): Promise<number> {
  await using klaus = await openKlaus();
  const session = await findFittingSession(klaus, id, 'checks');
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    const verified = await session.verify({
      by: 'cli',
      signal: stop.signal,
      ...(options.yes ? { approve: true } : {}),
      ...(options.json ? {} : { onCheck: (command) => err.write(`$ ${toLine(command, 200)}\n`) }),
    });
    if (options.json) out.json(verified);
    else print(verified, options.plain ?? false);
    return toExit(verified);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

function print({ checks, isChanged }: VerifiedEvidence, plain: boolean): void {
  const paint = createPaint(out, plain);
  for (const { command, exitCode, recorded, result, differs, reason } of checks) {
    const ended =
      result === 'skipped' || result === 'denied'
        ? ''
        : exitCode === null
          ? ', ended by a signal'
          : `, exit ${exitCode}`;
    const was = differs ? `, differs from the record (${recorded === null ? 'a signal' : `exit ${recorded}`})` : '';
    const why = reason === undefined ? '' : `: ${toPrintable(reason)}`;
    const line = `${result}  ${toLine(command, 200)}${ended}${was}${why}`;
    out.write(`${paint(result === 'passed' ? 'green' : result === 'skipped' ? 'yellow' : 'red', line)}\n`);
  }
  if (isChanged) err.write('The workspace differs from what the recorded checks saw.\n');
  if (checks.some(({ result, reason = '' }) => result === 'denied' && !/deny/.test(reason))) {
    err.write('What the gate would ask about runs with --yes; what it denies does not.\n');
  }
}

function toExit({ checks }: VerifiedEvidence): ExitCode {
  if (checks.some(({ result }) => result === 'failed')) return EXIT.failed;
  if (checks.some(({ result }) => result === 'denied')) return EXIT.denied;
  // What proves nothing was not verified: 0 means that everything was.
  return checks.length > 0 && checks.every(({ result }) => result === 'passed') ? EXIT.done : EXIT.failed;
}
