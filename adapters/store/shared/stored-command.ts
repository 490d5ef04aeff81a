import type { ChainReport } from '@klaus/core/agent';
import { commandSchema, type Command } from '@klaus/core/protocol';
import { toObject } from '../sqlite/log/record.ts';

const TYPES: ReadonlySet<unknown> = new Set(commandSchema.options.map(({ shape }) => shape.type.value));

/** A row of the table `inbox` that is not consumed. Without a text it is damaged. */
export interface CommandRow {
  id: string;
  command: string | null;
}

/** Why a row is no command: a newer version wrote it, or it is damaged. */
export interface CommandProblem {
  kind: 'newer' | 'damaged';
  /** One phrase without a period. */
  what: string;
}

/** The command of a row of one session; `problem` if this version cannot apply it. */
function toStoredCommand(
  session: string,
  { id, command }: CommandRow,
): { command: Command; problem?: undefined } | { problem: CommandProblem } {
  const place = `command ${id} in the inbox of session ${session}`;
  const fields = toObject(command ?? '');
  const type = fields?.['type'];
  if (typeof type === 'string' && !TYPES.has(type))
    return { problem: { kind: 'newer', what: `${place} has the type "${type}"` } };
  if (fields?.['id'] !== id || !commandSchema.safeParse(fields).success)
    return { problem: { kind: 'damaged', what: `${place} cannot be read` } };
  return { command: fields as unknown as Command };
}

/** The commands that this version can read. */
export function toReadableCommands(session: string, rows: readonly CommandRow[]): Command[] {
  return rows.flatMap((row) => {
    const read = toStoredCommand(session, row);
    return read.problem ? [] : [read.command];
  });
}

/** All commands. @throws What `toError` makes of the first one that this version cannot read. */
export function toCommands(
  session: string,
  rows: readonly CommandRow[],
  toError: (problem: CommandProblem) => Error,
): Command[] {
  return rows.map((row) => {
    const read = toStoredCommand(session, row);
    if (read.problem) throw toError(read.problem);
    return read.command;
  });
}

/** Why one of the commands cannot be read; undefined if all can, or if a newer version wrote the others. */
export function findDamage(session: string, rows: readonly CommandRow[]): string | undefined {
  return rows.map((row) => toStoredCommand(session, row).problem).find((problem) => problem?.kind === 'damaged')?.what;
}

/** The report of a session whose log is intact and whose inbox is not. */
export function toDamagedInbox({ records }: ChainReport, what: string): ChainReport {
  const message = `${what[0]!.toUpperCase()}${what.slice(1)}.`;
  return { intact: false, records, seq: records, problem: 'altered', message };
}
