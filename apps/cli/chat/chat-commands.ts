import { formatNumber } from '@klaus/sdk/transcript';
import { listChanges, listNotRestored } from '../output/change-list.ts';
import { toTable } from '../output/table.ts';
import { toUsageText } from '../output/usage-text.ts';
import { UsageError } from '../program/cli-error.ts';
import type { Chat } from './chat.ts';

/** A command in a chat. It works here and is not sent to the model. */
export interface ChatCommand {
  /** Without the slash. */
  name: string;
  /** What follows the name; absent: nothing. */
  argument?: string;
  summary: string;
  run(chat: Chat, argument: string): Promise<void>;
}

export const CHAT_COMMANDS: readonly ChatCommand[] = [
  {
    name: 'help',
    summary: 'list these commands',
    run: async (chat) => chat.print(toHelp()),
  },
  {
    name: 'capabilities',
    summary: 'show what the session may do',
    async run(chat) {
      const { workspace, grant, mode } = await chat.state();
      const { describeGrant, toGrantText } = await import('@klaus/sdk');
      const lines = describeGrant(grant, { workspace, now: Date.now() }).map(({ text }) => text);
      chat.print([...lines, `Mode ${mode}`, toGrantText(grant)].map((line) => `${line}\n`).join(''));
    },
  },
  {
    name: 'tools',
    summary: 'list the tools that the model can call',
    async run(chat) {
      const { tools, deferred } = await chat.state();
      if (tools.length === 0) return chat.print('No tools: this agent can only chat.\n');
      chat.print(toTable([...tools.map((name) => [name]), ...deferred.map((name) => [name, 'found by tool_search'])]));
    },
  },
  {
    name: 'clear',
    summary: 'start a new session with the next prompt',
    async run(chat) {
      chat.begin(undefined);
      chat.print('The next prompt starts a new session.\n');
    },
  },
  {
    name: 'model',
    argument: '[NAME]',
    summary: 'show the model, or choose another one',
    async run(chat, name) {
      if (name !== '') await chat.changeModel(name);
      chat.print(`${(await chat.state()).model}\n`);
    },
  },
  {
    name: 'cost',
    summary: 'show the cost of the session, and what is left of its limits',
    async run(chat) {
      chat.print(toUsageText(await chat.client.usage({ session: await chat.session() })));
    },
  },
  {
    name: 'undo',
    summary: 'undo the changes of the last prompt in the workspace',
    async run(chat) {
      const session = await chat.session();
      const { done, changes, conflicts, notRestored } = await chat.client.restore(session, { kind: 'undo' });
      const left = listNotRestored(notRestored).map((line) => `${line}\n`);
      if (done)
        return chat.print(
          `Undone: ${formatNumber(changes.length, 'path')}.\n${listChanges(changes)}\n${left.join('')}`,
        );
      throw new UsageError(
        `Nothing was undone: others have changed ${conflicts.join(', ')} since.`,
        `klaus undo --session ${session} --keep leaves them unchanged; --overwrite undoes them too.`,
      );
    },
  },
  {
    name: 'fork',
    summary: 'continue in a copy of the session',
    async run(chat) {
      const fork = await chat.client.fork(await chat.session());
      chat.begin(fork);
      chat.print(`The chat continues in session ${fork}.\n`);
    },
  },
  {
    name: 'quit',
    summary: 'end the chat, as Ctrl-D does',
    run: async (chat) => chat.quit(),
  },
];

/**
 * The command that a line calls; undefined for a prompt. A line that begins with a space is a prompt.
 *
 * @param folder The project, whose skills and those of the user are commands too. Absent: none are.
 * @returns `prompt`: the line calls a skill, which the model loads.
 * @throws UsageError for an unknown command, with the nearest one, and for an argument that it does not take.
 */
export async function findChatCommand(
  line: string,
  folder?: string,
): Promise<{ command: ChatCommand; argument: string } | { prompt: string } | undefined> {
  const [, given, argument = ''] = /^\/([a-z][\w-]*)(?:\s+(\S.*?))?\s*$/is.exec(line) ?? [];
  if (given === undefined) return undefined;
  const name = given.toLowerCase();
  const command = CHAT_COMMANDS.find((each) => each.name === name);
  if (!command) {
    const prompt =
      folder === undefined
        ? undefined
        : ((await findSkillPrompt(name, argument, folder)) ?? (await findMcpPrompt(given, argument, folder)));
    if (prompt !== undefined) return { prompt };
    const { toNearest } = await import('@klaus/sdk');
    const names = CHAT_COMMANDS.map((each) => each.name);
    const nearest = toNearest(name, names);
    const hint = nearest === undefined ? '/help lists the commands.' : `Did you mean /${nearest}?`;
    throw new UsageError(`There is no command /${name}.`, `${hint} As a prompt, begin the line with a space.`);
  }
  if (argument !== '' && command.argument === undefined) {
    throw new UsageError(`/${name} takes no argument.`, 'As a prompt, begin the line with a space.');
  }
  return { command, argument };
}

async function findSkillPrompt(name: string, argument: string, folder: string): Promise<string | undefined> {
  const [{ listSkillFiles, toSkillPrompt }, { toHome, toUserHome }] = await Promise.all([
    import('@klaus/sdk/skills'),
    import('@klaus/sdk/home'),
  ]);
  const places = { workspace: folder, home: toUserHome(process.env), state: toHome(process.env, folder) };
  const isKnown = listSkillFiles(places).found.some((skill) => skill.name === name);
  return isKnown ? toSkillPrompt(name, argument) : undefined;
}

async function findMcpPrompt(name: string, argument: string, folder: string): Promise<string | undefined> {
  if (!name.startsWith('mcp__')) return undefined;
  const [{ listPromptCommands, toPromptMessage }, { toHome }] = await Promise.all([
    import('@klaus/sdk/mcp-prompts'),
    import('@klaus/sdk/home'),
  ]);
  const commands = listPromptCommands({ home: toHome(process.env, folder), folder });
  const found = commands.find(({ command }) => command === name);
  return found && toPromptMessage(found, argument);
}

function toHelp(): string {
  const rows = CHAT_COMMANDS.map(({ name, argument, summary }) => [
    `/${name}${argument === undefined ? '' : ` ${argument}`}`,
    summary,
  ]);
  return `${toTable(rows)}/NAME loads a skill, which \`klaus skills\` lists. A line that ends with \\ continues on the next one. Ctrl-C cancels a run.\n`;
}
