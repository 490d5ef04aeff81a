import type { Command, Option } from 'commander';
import { PROVIDER_NAMES } from '@klaus/sdk/provider-names';
import { IdArgument } from '../program/cli-command.ts';

/** What a shell offers after a command. */
export interface Entry {
  /** The words before the completed one, such as `db stats`; empty for the program itself. */
  path: string[];
  commands: { name: string; summary: string }[];
  options: Option[];
  /** The values of an argument, if they are a short list. */
  choices: string[];
  /** The command that lists the values of the first argument. */
  lists: Exclude<IdArgument['lists'], 'providers'> | undefined;
}

/** The value of an option: one of these, an id that a command lists, or a path. `text`: nothing can be offered. */
export type OptionValue = readonly string[] | 'sessions' | 'agents' | 'folder' | 'file' | 'text';

/** Every command, the program itself first. */
export function toEntries(program: Command): Entry[] {
  const entries = collect(program, []);
  const root = entries[0]!;
  root.commands = [...root.commands, { name: 'help', summary: 'print help for a command' }];
  // `klaus --json "…"` is `klaus run --json "…"`.
  root.options = [...root.options, ...entries.find((entry) => entry.path.join(' ') === 'run')!.options];
  return entries;
}

function collect(command: Command, path: string[]): Entry[] {
  const commands = command.commands.map((child) => ({
    name: child.name(),
    summary: child.summary() || child.description(),
  }));
  const options = [...command.options];
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  const [first] = command.registeredArguments;
  const lists = first instanceof IdArgument ? first.lists : undefined;
  const own: Entry =
    lists === 'providers'
      ? { path, commands, options, choices: [...PROVIDER_NAMES], lists: undefined }
      : { path, commands, options, choices, lists };
  return [own, ...command.commands.flatMap((child) => collect(child, [...path, child.name()]))];
}

/** Undefined for an option without a value. */
export function toOptionValue({ argChoices, flags, long, required }: Option): OptionValue | undefined {
  if (argChoices) return argChoices;
  if (!required) return undefined;
  if (long === '--session') return 'sessions';
  if (long === '--agent') return 'agents';
  if (flags.endsWith('<folder>')) return 'folder';
  return flags.endsWith('<file>') ? 'file' : 'text';
}

export function flagsOf(option: Option): string[] {
  return [option.short, option.long].filter((flag) => flag !== undefined);
}

/** The flags of all options that have a value, with that value. An option has the same values in each command. */
export function toValues(entries: readonly Entry[]): Map<string, OptionValue> {
  return new Map(
    entries
      .flatMap(({ options }) => options)
      .flatMap((option) => {
        const value = toOptionValue(option);
        return value === undefined ? [] : flagsOf(option).map((flag) => [flag, value] as const);
      }),
  );
}

/** The paths of all commands, quoted for `case` of a shell. */
export function toPathPattern(entries: readonly Entry[]): string {
  const paths = entries.filter(({ path }) => path.length > 0);
  return paths.map(({ path }) => `'${path.join(' ')}'`).join('|');
}

/** The shell command that prints the ids which a command lists. */
export const PRINT_IDS = `klaus "$1" --json 2>/dev/null | sed -n 's/^{"\\(id\\|approval\\|name\\)":"\\([^"]*\\)".*/\\2/p'`;
