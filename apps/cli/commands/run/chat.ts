import { toPrintable } from '@klaus/sdk/printable';
import type { Command } from 'commander';
import { beginChat } from '../../chat/begin-chat.ts';
import type { ChatCommandOptions } from '../../chat/chat-options.ts';
import { findFreeSession, runChat } from '../../chat/run-chat.ts';
import { openPipe, openTerminalInput, type LineReader } from '../../chat/line-reader.ts';
import { openClient } from '../../client/open-client.ts';
import type { SessionClient } from '@klaus/sdk/client';
import { createOutput } from '../../output/show-output.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { type Options, toGivenServer } from '../../program/options.ts';
import { addOpenOptions, toSettings } from '../../program/run-options.ts';
import { isLineByLine } from '../../prompt/accessible.ts';
import { createInterruptSignal } from '../../prompt/interrupt-signal.ts';
import { askTrust } from '../../setup/ask-trust.ts';
import { withFolder } from '../../setup/choose-folder.ts';
import { withLocalModel } from '../../setup/local-model.ts';
import { setUpOrLeave } from './set-up-or-leave.ts';
import { checkServerOptions } from './server-options.ts';

export const command: LeafCommand = {
  name: 'chat',
  summary: 'chat with an agent: prompts and commands, line by line',
  examples: ['klaus chat', 'klaus chat reviewer', 'klaus chat --new'],
  description:
    'Continues the last chat with the agent in this folder. Without the name of an agent, it is Klaus itself (klaus), the coding agent. Bare klaus in a terminal does the same.',
  footer:
    '/help in a chat lists its commands. A line that ends with \\ continues on the next one. Ctrl-C cancels a run; at an empty line it ends the chat, as Ctrl-D does.\nPiped input: each line is a prompt or a command. The exit code is that of the first run that was not done.',
  server: 'both',
  declare: (declared) =>
    addOpenOptions(
      declared
        .argument('[agent]', 'name of an agent')
        .option('--new', 'start a new session instead of continuing the last one')
        .option('--no-history', 'start a new session that no later chat continues'),
    ),
  run: (name: string | undefined, options: ChatCommandOptions, declared: Command) =>
    chat({ name, isStart: declared.parent?.args.length === 0, options }),
};

interface ChatRequest {
  /** Of an agent. */
  name: string | undefined;
  /** True: with the agent of the last chat. */
  isStart: boolean;
  options: ChatCommandOptions;
}

/** Chats in this terminal, or line by line. @returns The exit code. */
export async function chat({ name, isStart, options: given }: ChatRequest): Promise<number> {
  if (toGivenServer(given) !== undefined) checkServerOptions(given);
  const options = await withLocalModel(given);
  if (canShowTerminal(options)) {
    const placed = await withFolder(options);
    const left = name === undefined ? await setUpOrLeave(placed) : undefined;
    if (left !== undefined) return left;
    await askTrust(placed);
    const { runInTerminal } = await import('../../chat/run-in-terminal.ts');
    return await runInTerminal({ name, isStart, options: placed });
  }
  const output = createOutput(options);
  await using client = await openClient(options, {
    cwd: options.cwd,
    settings: toSettings(options),
    onNotice: output.note,
  });
  if (client.warning !== undefined) output.note(client.warning, 'warn');
  const start = await beginChat(client, { name, isStart, options });
  const { agent, keepsHistory, latest, notes } = start;
  for (const note of notes) output.note(note);
  const isInteractive = process.stdin.isTTY && err.isTTY;
  if (latest) {
    await findFreeSession(client, latest.id);
    if (isInteractive) output.note(`Session ${latest.id}${latest.title ? `, ${toPrintable(latest.title)}` : ''}`);
  }
  if (isInteractive) output.note(`Chat with ${agent ?? 'Klaus'}. /help lists the commands, Ctrl-D ends the chat.`);
  using lines = isInteractive ? await openTerminal(client, agent, latest?.id) : openPipe();
  using stop = createInterruptSignal(['SIGTERM', 'SIGHUP']);
  const session = latest?.id;
  const shown = { ...options, approve: isInteractive ? start.mode : options.approve };
  const request = { client, output, lines, options: shown, agent, keepsHistory, session, isInteractive };
  return await runChat({ ...request, signal: stop.signal });
}

/** True for a terminal that can show more than lines. Without one, with --plain and with --json the chat is line by line. */
export function canShowTerminal({ json, plain }: Options): boolean {
  return process.stdin.isTTY && out.isTTY && !json && !plain && !isLineByLine();
}

/** Inputs that the arrow keys recall at the start. */
const MAX_RECALLED = 500;

async function openTerminal(
  client: SessionClient,
  agent: string | undefined,
  session: string | undefined,
): Promise<LineReader> {
  const prompts = session === undefined ? [] : (await client.chatState(session)).prompts;
  // A prompt of several lines cannot be edited as one line.
  const history = prompts.filter((text) => !text.includes('\n') && toPrintable(text) === text);
  return openTerminalInput({ prompt: `${agent ?? 'klaus'}> `, history: history.slice(-MAX_RECALLED).toReversed() });
}
