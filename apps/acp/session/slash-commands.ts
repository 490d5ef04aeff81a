import type { AvailableCommand } from '@agentclientprotocol/sdk/unstable';
import type { Conversation } from '@klaus/sdk/conversation';
import type { SessionClient, Undone } from '@klaus/sdk/client';
import { formatCount, formatUsage, formatCost, formatUsd } from '@klaus/sdk/transcript';
import { isMode } from '../updates/config-options.ts';

/** What a command can use. */
export interface CommandContext {
  client: SessionClient;
  session: string;
  view: Conversation;
}

interface SlashCommand {
  description: string;
  /** What to type after the name; absent: nothing. */
  hint?: string;
  /** Returns the answer, in Markdown. @throws KlausError. */
  run: (context: CommandContext, argument: string) => Promise<string> | string;
}

const COMMANDS: Readonly<Record<string, SlashCommand>> = {
  help: {
    description: 'List the commands',
    run: () =>
      toAvailableCommands()
        .map(({ name, description, input }) => `- \`/${name}${input ? ` ${input.hint}` : ''}\`: ${description}`)
        .join('\n'),
  },
  undo: {
    description: 'Undo the changes of the last run',
    run: async ({ client, session }) => toRestoredText(await client.restore(session, { kind: 'undo' }), 'Undone'),
  },
  redo: {
    description: 'Apply the changes again that were undone last',
    run: async ({ client, session }) =>
      toRestoredText(await client.restore(session, { kind: 'redo' }), 'Applied again'),
  },
  diff: {
    description: 'Show what this session changed',
    run: async ({ client, session }) => `\`\`\`diff\n${(await client.changes(session)).diff}\n\`\`\``,
  },
  cost: {
    description: 'Show what this session has used',
    run({ view: { usage, usd, held, turns, toolCalls, limits } }) {
      const limit = limits.usd > 0 ? ` of ${formatUsd(limits.usd)}` : '';
      return `${formatCost(usd, held.usd)}${limit}, ${formatUsage(usage)}, ${turns} turns, ${toolCalls} tool calls.`;
    },
  },
  context: {
    description: 'Show how much of the context window is used',
    async run({ client, session, view: { contextTokens, contextWindow } }) {
      const size = contextWindow > 0 ? ` of ${formatCount(contextWindow)}` : '';
      const pins = await client.pins(session);
      const pinned = pins.map(({ text }) => `\n- pinned: ${text}`).join('');
      return `${formatCount(contextTokens)}${size} tokens.${pinned}`;
    },
  },
  model: {
    description: 'Show or change the model',
    hint: 'name of a model',
    async run({ client, session, view }, argument) {
      if (argument !== '') {
        await client.change(session, { model: argument });
        return `The next turn uses ${argument}.`;
      }
      const usable = (await client.models()).filter((model) => model.usable);
      return [`The model is \`${view.model}\`. Others:`, ...usable.map(({ name }) => `- \`${name}\``)].join('\n');
    },
  },
  mode: {
    description: 'Show or change the approval mode',
    hint: 'plan, ask, edits or auto',
    async run({ client, session, view }, argument) {
      if (argument === '') return `The mode is \`${view.mode}\`. Others: plan, ask, edits, auto.`;
      if (!isMode(argument)) return `There is no mode \`${argument}\`. The modes are plan, ask, edits and auto.`;
      await client.change(session, { mode: argument });
      return `The mode is now \`${argument}\`.`;
    },
  },
  pin: {
    description: 'Keep a text in the context unchanged',
    hint: 'text',
    async run({ client, session }, argument) {
      if (argument === '') return 'The text is missing: `/pin TEXT`.';
      await client.pin(session, argument);
      return 'It is pinned.';
    },
  },
  title: {
    description: 'Rename this session',
    hint: 'title',
    async run({ client, session, view }, argument) {
      if (argument === '') return `The title is: ${view.title}`;
      await client.change(session, { title: argument });
      return `The title is now: ${argument}`;
    },
  },
};

/** Commands whose answer is a run. */
const RUNS: Readonly<Record<string, string>> = {
  resume: 'Continue a run that was interrupted or stopped early',
  compact: 'Replace the beginning of the history by a summary',
};

export function toAvailableCommands(): AvailableCommand[] {
  const commands = Object.entries(COMMANDS).map(([name, { description, hint }]) => ({
    name,
    description,
    ...(hint === undefined ? {} : { input: { hint } }),
  }));
  return [...commands, ...Object.entries(RUNS).map(([name, description]) => ({ name, description }))];
}

export function startsRun(name: string): name is 'resume' | 'compact' {
  return Object.hasOwn(RUNS, name);
}

/** The command of a prompt; undefined for a prompt that is for the model, such as one that begins with a path. */
export function findCommand(text: string): { name: string; argument: string } | undefined {
  const match = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  const name = match?.[1] ?? '';
  if (!startsRun(name) && !Object.hasOwn(COMMANDS, name)) return undefined;
  return { name, argument: match?.[2]?.trim() ?? '' };
}

export async function runCommand(name: string, argument: string, context: CommandContext): Promise<string> {
  return COMMANDS[name]!.run(context, argument);
}

function toRestoredText({ done, changes, conflicts, notRestored }: Undone, what: string): string {
  if (!done) {
    const files = conflicts.map((path) => `- \`${path}\``).join('\n');
    return `Nothing was changed, because these files were changed since:\n${files}`;
  }
  const left = notRestored.map(({ path, command }) => {
    const how = command === undefined ? 'the tool that made it rebuilds it' : `rebuild it with \`${command}\``;
    return `\n\nNot restored: \`${path}\`; ${how}.`;
  });
  return `${what}:\n${changes.map(({ path }) => `- \`${path}\``).join('\n')}${left.join('')}`;
}
