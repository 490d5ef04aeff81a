import { Argument, type Command } from 'commander';
import { err } from '../output/sink.ts';
import { isAccessible } from '../prompt/accessible.ts';
import { EXIT } from './exit-codes.ts';
import { addServerOptions, toGivenServer } from './options.ts';

interface CommandText {
  name: string;
  /** One line in the list of commands. */
  summary: string;
  /** The help's introduction. Default: the summary. */
  description?: string;
  /** Command lines as a user writes them, each with an optional comment after two spaces. At least one. */
  examples: readonly string[];
  /** The command that does the same. This one is no longer listed, names that one when it is used, and will be removed. */
  replacedBy?: string;
  /** Text below the examples. */
  footer?: string;
}

/** A command with its declaration and its work. Declaring it must not load the engine. */
export interface LeafCommand extends CommandText {
  /** True for the command that a line without a command name means. */
  isDefault?: boolean;
  /**
   * What `--server` means to it. `both`: it acts on this machine or on a server. `local`: it acts on the sessions of
   * this machine, and warns when KLAUS_SERVER names a server. `none`: it does not concern sessions.
   */
  server: 'both' | 'local' | 'none';
  declare?: (command: Command) => void;
  /** Receives the arguments, the options and the declared command. Returns the exit code; undefined means success. */
  run: (...given: never[]) => Promise<number> | Promise<void>;
}

/** Commands below a common name. */
export interface CommandGroup extends CommandText {
  commands: readonly LeafCommand[];
}

export type CliCommand = LeafCommand | CommandGroup;

const LISTED = {
  sessions: 'session id or its beginning, or its title',
  approvals:
    'approval id or its beginning, or that of its session (default: the only open one); what is not named by its own id is confirmed first',
  agents: 'name of an agent',
  providers: 'name of a provider of models',
} as const;

/** An argument that names a session, an approval, an agent or a provider; a shell completes it. */
export class IdArgument extends Argument {
  readonly lists: keyof typeof LISTED;

  constructor(name: string, lists: keyof typeof LISTED, description?: string) {
    super(name, description ?? LISTED[lists]);
    this.lists = lists;
  }
}

/** Declares a command. @param done Receives the exit code. */
export function addCommand(parent: Command, spec: CliCommand, done: (exitCode: number) => void): void {
  const command = parent.command(spec.name, {
    isDefault: 'isDefault' in spec && spec.isDefault === true,
    hidden: spec.replacedBy !== undefined,
  });
  command.summary(spec.summary);
  if (spec.description !== undefined) command.description(spec.description);
  command.addHelpText('after', toFooter(spec));
  if ('commands' in spec) {
    for (const child of spec.commands) addCommand(command, child, done);
    return;
  }
  spec.declare?.(command);
  if (spec.server === 'both') addServerOptions(command);
  if (isAccessible() && command.options.some(({ long }) => long === '--plain')) command.setOptionValue('plain', true);
  const run = spec.run as (...given: unknown[]) => Promise<number | undefined>;
  command.action(async (...given: unknown[]) => {
    if (spec.replacedBy !== undefined)
      err.write(`klaus: klaus ${toPath(command)} will be removed. Use ${spec.replacedBy}.\n`);
    if (spec.server === 'local' && toGivenServer({}) !== undefined) {
      err.write(`klaus: klaus ${toPath(command)} acts on the sessions of this machine; KLAUS_SERVER is ignored.\n`);
    }
    done((await run(...given)) ?? EXIT.done);
  });
}

/** What the help shows below the options. */
function toFooter({ examples, footer }: CommandText): string {
  const title = examples.length === 1 ? 'Example:' : 'Examples:';
  return `\n${[title, ...examples.map((each) => `  ${each}`)].join('\n')}${footer === undefined ? '' : `\n\n${footer}`}`;
}

/** The words that name a command, such as `audit verify`. */
function toPath(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) names.unshift(each.name());
  return names.join(' ');
}
