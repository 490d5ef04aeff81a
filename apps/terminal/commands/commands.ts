import { toLine } from '@klaus/sdk/printable';
import type { App } from '../app/app.ts';
import type { TerminalCommand } from './command.ts';
import { wrap } from '../view/wrap.ts';
import { budgetCommand } from './budget-command.ts';
import { INFO_COMMANDS } from './info-commands.ts';
import { readMcpPrompts } from './mcp-prompts.ts';
import { SESSION_COMMANDS } from './session-commands.ts';
import { SETTING_COMMANDS } from './setting-commands.ts';
import { readUserCommands } from './user-commands.ts';
import { readUserSkills } from './user-skills.ts';
import { WORK_COMMANDS } from './work-commands.ts';

const BUILT_IN: readonly TerminalCommand[] = [
  ...INFO_COMMANDS,
  ...SESSION_COMMANDS,
  ...WORK_COMMANDS,
  ...SETTING_COMMANDS,
  budgetCommand,
];

/** The commands that are used most, in the order in which the menu shows them; the others are sorted by name. */
const FIRST = [
  'new',
  'sessions',
  'model',
  'mode',
  'diff',
  'undo',
  'agent',
  'compact',
  'rewind',
  'resume',
  'cost',
  'help',
];

/** The names of the commands that no file can replace. */
export const BUILT_IN_NAMES: ReadonlySet<string> = new Set(BUILT_IN.map(({ name }) => name));

/**
 * All commands, those that are used most first: the built-in ones, which no file can replace, those of the user and the project, and their
 * skills.
 */
export function listCommands(app: App): readonly TerminalCommand[] {
  const names = new Set(BUILT_IN_NAMES);
  const own = app.client.server === undefined ? readUserCommands(app.options.folder) : [];
  for (const { name } of own) names.add(name);
  const skills = app.client.server === undefined ? readUserSkills(app.options.folder) : [];
  const others = [
    ...own.filter(({ name }) => !BUILT_IN_NAMES.has(name)),
    ...skills.filter(({ name }) => !names.has(name)),
  ];
  return [...BUILT_IN, ...others].toSorted((a, b) => toRank(a) - toRank(b) || a.name.localeCompare(b.name));
}

function toRank({ name }: TerminalCommand): number {
  const rank = BUILT_IN_NAMES.has(name) ? FIRST.indexOf(name) : -1;
  return rank < 0 ? FIRST.length : rank;
}

/** Adds the prompts of MCP servers, which a server may have to list, to the commands. */
export async function listAllCommands(app: App): Promise<readonly TerminalCommand[]> {
  const commands = listCommands(app);
  const names = new Set(commands.map(({ name }) => name));
  return [...commands, ...(await readMcpPrompts(app)).filter(({ name }) => !names.has(name))];
}

/**
 * What a line calls; undefined for a prompt. A path such as `/etc/hosts` is a prompt, and so is an unknown name that is
 * followed by more text.
 *
 * @throws Error for an unknown command, with the nearest one.
 */
export async function findCommand(app: App, text: string): Promise<(() => Promise<void>) | undefined> {
  const shell = /^!\s*(\S[\s\S]*)$/.exec(text)?.[1];
  if (shell !== undefined) return () => app.link.shell(shell);
  const note = /^#\s*(\S[\s\S]*)$/.exec(text)?.[1];
  if (note !== undefined) return () => remember(app, note);
  const [, name, argument = ''] = /^\/([\w:-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  const commands = name.startsWith('mcp__') ? await listAllCommands(app) : listCommands(app);
  const command =
    commands.find((each) => each.name === name.toLowerCase()) ?? commands.find((each) => each.name === name);
  if (command)
    return async () => {
      if (BUILT_IN_NAMES.has(command.name) && command.name !== 'quit') echo(app, text, command);
      await command.run(app, argument.trim());
    };
  const { toNearest } = await import('@klaus/sdk');
  const nearest = toNearest(
    name,
    commands.map((each) => each.name),
  );
  const hint = nearest === undefined ? '/help lists the commands.' : `Did you mean /${nearest}?`;
  throw new Error(`There is no command /${name}. ${hint}`);
}

/** Writes the command with what it does, as the heading of what it prints. */
function echo(app: App, text: string, { summary }: TerminalCommand): void {
  const { accent, strong, muted } = app.style.palette;
  const line = `${strong(toLine(text, MAX_ECHO))}  ${muted(summary)}`;
  const width = Math.max(20, app.screen.terminal.columns);
  app.print(['', ...wrap(line, width, { first: accent('› '), rest: '  ', indent: 2 })].join('\n'));
}

const MAX_ECHO = 200;

async function remember(app: App, note: string): Promise<void> {
  await app.client.remember(app.link.view.conversation.workspace || undefined, note);
  app.note('Remembered for later sessions of this project. /memory lists all notes.', 'ok');
}
