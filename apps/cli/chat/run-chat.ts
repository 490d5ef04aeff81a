import { resolve } from 'node:path';
import { toPrintable } from '@klaus/sdk/printable';
import type { SessionClient, SessionSummary } from '@klaus/sdk/client';
import type { Output } from '../output/output.ts';
import { err, out } from '../output/sink.ts';
import { CliError } from '../program/cli-error.ts';
import { EXIT, isKlausError } from '../program/exit-codes.ts';
import type { Options } from '../program/options.ts';
import { toLimits } from '../program/run-options.ts';
import { hasKeyboard } from '../prompt/keyboard.ts';
import { toPromptParts } from '../prompt/prompt-input.ts';
import { runSession, sendPrompt, toOnAsk } from '../run/run-session.ts';
import type { Chat } from './chat.ts';
import { findChatCommand } from './chat-commands.ts';
import type { LineReader } from './line-reader.ts';

export interface ChatOptions {
  client: SessionClient;
  output: Output;
  lines: LineReader;
  options: Options;
  /** Default: Klaus itself. */
  agent: string | undefined;
  /** True: later chats continue the sessions of this one. */
  keepsHistory: boolean;
  /** The session to continue; undefined: a new one. */
  session: string | undefined;
  /** True: errors are printed and the chat continues. */
  isInteractive: boolean;
  /** Ends the chat. */
  signal: AbortSignal;
}

/**
 * Reads prompts and commands until the input ends.
 *
 * @returns The exit code: in a terminal 0, else that of the first run that was not done.
 */
export async function runChat(given: ChatOptions): Promise<number> {
  const { lines, isInteractive, output, signal } = given;
  const { chat, send, isOver } = createChat(given);
  let exitCode: number = EXIT.done;
  const { client, options } = given;
  const folder = client.server === undefined ? resolve(options.cwd ?? '.') : undefined;
  while (!isOver()) {
    const line = await lines.read(signal);
    if (signal.aborted) return EXIT.interrupted;
    if (line === undefined) break;
    if (line.trim() === '') continue;
    let code: number = EXIT.done;
    try {
      const called = await findChatCommand(line, folder);
      if (called && 'command' in called) await called.command.run(chat, called.argument);
      else code = await send(called?.prompt ?? line.trim());
    } catch (error) {
      if (!isInteractive || !isKlausError(error)) throw error;
      output.settle();
      err.write(`klaus: ${toPrintable(error.message)}\n`);
      if (error.hint !== undefined) err.write(`  ${toPrintable(error.hint)}\n`);
    }
    if (signal.aborted) return EXIT.interrupted;
    if (isInteractive) continue;
    if (code === EXIT.interrupted) return code;
    if (exitCode === EXIT.done) exitCode = code;
  }
  return exitCode;
}

/** @throws CliError `store.busy` while a process works on the session. */
export async function findFreeSession(client: SessionClient, id: string): Promise<SessionSummary> {
  const session = await client.session(id);
  if (!session.held) return session;
  throw new CliError('store.busy', `Another process is working on session ${id}, which this chat continues.`, {
    hint: `Wait until it is done, stop it with \`klaus interrupt ${id}\`, or start another chat with \`klaus chat --new\`.`,
  });
}

function createChat({ client, output, options, agent, keepsHistory, session: first, isInteractive }: ChatOptions) {
  let session = first;
  /** True if no event of the session has been shown. */
  let isUnseen = false;
  let isOver = false;
  /** Options of new sessions. */
  let opening = options;
  /** Options that change the session with the next prompt. */
  let change: Options = options;

  const open = async (parts: Parameters<SessionClient['open']>[0]['parts'], model = opening.model): Promise<string> => {
    const { onAsk } = toOnAsk(options, await client.settings());
    const {
      cwd,
      root,
      allowAnyWorkspace,
      sandbox,
      isolate,
      grant,
      allowNet,
      worker: workers,
      waitForModel,
      approve,
      fallback,
      effort,
      temperature,
    } = opening;
    const id = await client.open({
      parts,
      onAsk,
      agent,
      chat: keepsHistory,
      attended: hasKeyboard(),
      model,
      fallback,
      effort,
      temperature,
      mode: approve ?? (isInteractive ? (await client.startMode(cwd)).mode : undefined),
      limits: toLimits(opening),
      waitForModelMs: waitForModel,
      workspace: cwd,
      root,
      allowAnyWorkspace,
      sandbox,
      isolate,
      grant,
      allowNet,
      workers,
    });
    session = id;
    change = withoutChanges(options);
    return id;
  };
  const chat: Chat = {
    client,
    print: (text) => (options.json ? err : out).write(toPrintable(text)),
    async session() {
      if (session !== undefined) return session;
      isUnseen = true;
      return await open([]);
    },
    state: async () => client.chatState(await chat.session()),
    begin(next) {
      session = next;
      isUnseen = false;
      change = withoutChanges(options);
    },
    async changeModel(model) {
      if (session !== undefined) await client.change(session, { model });
      else {
        await open([], model);
        isUnseen = true;
      }
      opening = { ...opening, model };
    },
    quit: () => void (isOver = true),
  };
  const send = async (text: string): Promise<number> => {
    const settings = await client.settings();
    const parts = toPromptParts({ words: [text], stdin: undefined, maxChars: settings.maxPromptChars });
    const { onAsk, asks } = toOnAsk(options, settings);
    const shared = { client, output, asks, showCommand: false };
    if (session === undefined) {
      const id = await open(parts);
      return await runSession({ ...shared, session: { id, lastSeq: 0, mode: null }, show: options });
    }
    const found = await findFreeSession(client, session);
    const from = isUnseen ? { ...found, lastSeq: 0 } : found;
    const show = change;
    isUnseen = false;
    change = withoutChanges(options);
    return await sendPrompt({ parts, onAsk, delivery: 'queue' }, { ...shared, session: from, show });
  };
  return { chat, send, isOver: () => isOver };
}

/** The options without those that change a session: they apply once. */
function withoutChanges(options: Options): Options {
  const {
    model: _,
    approve: _a,
    budgetUsd: _u,
    budgetTokens: _t,
    maxTurns: _m,
    maxToolCalls: _c,
    maxMinutes: _n,
    ...rest
  } = options;
  return rest;
}
