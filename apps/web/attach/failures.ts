import { tailOf } from '@klaus/core/cut-text';
import { isCommand, toPlainText, type CallEntry, type Conversation } from '@klaus/core/conversation';

/** A command or a check that failed. */
export interface Failure {
  key: string;
  command: string;
  /** Null if a signal ended it. */
  exitCode: number | null;
  isCheck: boolean;
  /** Unix milliseconds. */
  at: number;
  /** The call whose output is recorded; undefined if none is. */
  call?: { id: string; output: string; isCut: boolean };
}

const MAX_FAILURES = 50;
/** Characters of the output that are attached. Its end usually has the result. */
const MAX_OUTPUT = 20_000;

/** The failed commands, checks and repeated checks of a session, the latest first. */
export function listFailures({ entries }: Pick<Conversation, 'entries'>): Failure[] {
  const found: Failure[] = [];
  for (const entry of entries) {
    if (entry.kind === 'call') {
      const failure = toFailure(entry);
      if (failure) found.push(failure);
    } else if (entry.kind === 'fact' && entry.event.type === 'evidence.verified') {
      for (const [at, { command, exitCode, result }] of entry.event.checks.entries())
        if (result === 'failed')
          found.push({ key: `${entry.id} ${at}`, command, exitCode, isCheck: true, at: entry.at });
    }
  }
  return found.toReversed().slice(0, MAX_FAILURES);
}

function toFailure({ id, name, input, result, at }: CallEntry): Failure | undefined {
  if (!result) return undefined;
  const { evidence, detail, output, blob, outcome } = result;
  const exitCode = evidence ? evidence.exitCode : toExitCode(detail);
  // A command that did not start, such as a denied one, has no exit code.
  if (exitCode === undefined || exitCode === 0 || outcome === 'cancelled') return undefined;
  const command = evidence?.command ?? (isCommand(input) ? input.command : name);
  const call = { id, output, isCut: blob !== undefined };
  return { key: id, command, exitCode, isCheck: evidence !== undefined, at, call };
}

function toExitCode(detail: unknown): number | null | undefined {
  if (typeof detail !== 'object' || detail === null || !('exitCode' in detail)) return undefined;
  return typeof detail.exitCode === 'number' || detail.exitCode === null ? detail.exitCode : undefined;
}

/** The end of an output, from the beginning of a line on and without control sequences. */
export function toOutputEnd(output: string, maxChars = MAX_OUTPUT): string {
  const text = toPlainText(output).trimEnd();
  if (text.length <= maxChars) return text;
  const end = tailOf(text, maxChars);
  return `[…]\n${end.slice(end.indexOf('\n') + 1)}`;
}
