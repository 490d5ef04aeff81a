import { Help, type Command } from 'commander';
import { UsageError } from './cli-error.ts';

/** What the help of `klaus` lists: the commands of the first days, those of a topic by its name, or all. */
export type HelpList = 'short' | 'all' | { topic: string };

/** The commands of the first days, by task. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  'Work:': ['chat', 'resume', 'sessions'],
  'Answer and review:': ['attention', 'approve', 'diff', 'undo'],
  'Set up:': ['login', 'config', 'doctor', 'serve', 'guard'],
};

/** The topics, and the headings of their commands. Their names are no commands. */
const TOPICS = {
  running: 'Run:',
  delegation: 'Agents:',
  history: 'Sessions:',
  parallel: 'Instances:',
  review: 'Review:',
  branches: 'Working copies:',
  'claude-code': 'Claude Code:',
  safety: 'Safety:',
  servers: 'Server:',
  maintenance: 'Maintenance:',
} as const;

/** What a line that asks for the help of `klaus` wants to see, and the line that prints it. */
export function toHelpList(words: readonly string[]): { list: HelpList; words: readonly string[] } {
  const [first, second = ''] = words;
  if (first === 'help' && Object.hasOwn(TOPICS, second)) return { list: { topic: second }, words: ['--help'] };
  return { list: first === 'help' && second === '--all' ? 'all' : 'short', words };
}

/** @throws UsageError for the help of something that is neither a command nor a topic. */
export async function checkHelpTopic(words: readonly string[], commands: readonly string[]): Promise<void> {
  const [first, second] = words;
  if (first !== 'help' || second === undefined || second.startsWith('-') || commands.includes(second)) return;
  const { toNearest } = await import('@klaus/sdk');
  const nearest = toNearest(second, [...commands, ...Object.keys(TOPICS)]);
  throw new UsageError(
    `There is no command or topic ${JSON.stringify(second)}.`,
    nearest === undefined ? 'klaus help --all lists all of them.' : `Did you mean klaus help ${nearest}?`,
  );
}

/** Lists only some commands in the help of the program, and says how to see the others. */
export function listInHelp(program: Command, list: HelpList): void {
  if (list === 'all') return;
  const groups = typeof list === 'string' ? SHORT : {};
  for (const [heading, names] of Object.entries(groups))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading);
  const order = Object.values(groups).flat();
  const isListed = (command: Command): boolean =>
    typeof list === 'string'
      ? order.includes(command.name())
      : command.helpGroup() === TOPICS[list.topic as keyof typeof TOPICS];
  const help = new Help();
  program.configureHelp({
    visibleCommands: (command) => {
      const visible = help.visibleCommands(command);
      if (command !== program) return visible;
      return visible.filter(isListed).toSorted((a, b) => order.indexOf(a.name()) - order.indexOf(b.name()));
    },
  });
}

/** Below the list of commands. */
export const MORE = `
More:
  klaus help COMMAND    its options, with an example
  klaus help TOPIC      ${Object.keys(TOPICS).slice(0, 5).join(', ')},
                        ${Object.keys(TOPICS).slice(5).join(', ')}
  klaus help --all      every command, and the exit codes
`;
