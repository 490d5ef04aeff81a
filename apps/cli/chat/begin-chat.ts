import type { Mode } from '@klaus/sdk';
import type { SessionChange, SessionClient, SessionSummary } from '@klaus/sdk/client';
import { optional } from '@klaus/sdk/optional';
import { toPrintable } from '@klaus/sdk/printable';
import type { TerminalStart } from '@klaus/terminal';
import { checkContinued, type ChatCommandOptions } from './chat-options.ts';

/** What a chat begins with. */
export interface ChatStart {
  /** Undefined: Klaus itself. */
  agent: string | undefined;
  /** True: later chats continue the session. */
  keepsHistory: boolean;
  /** The session to continue; undefined: a new one. */
  latest: SessionSummary | undefined;
  /** The approval mode that the continued session gets; undefined: it keeps its own. */
  mode: Mode | undefined;
  /** For the user. */
  notes: readonly string[];
}

interface BeginOptions {
  /** Undefined: Klaus itself. */
  name: string | undefined;
  /** True for a start without any argument. */
  isStart?: boolean;
  options: ChatCommandOptions;
}

/**
 * Chooses the agent, and its latest chat in the folder.
 *
 * @throws KlausError `usage` for an unknown agent, UsageError for options that the continued session cannot take.
 */
export async function beginChat(client: SessionClient, begin: BeginOptions): Promise<ChatStart> {
  const { name, isStart = false, options } = begin;
  const { cwd, root } = options;
  const { name: agent, keepsHistory: keeps, notes } = await client.chatAgent({ name, isStart, cwd });
  const keepsHistory = options.history && keeps;
  const latest = keepsHistory && !options.new ? await client.latestChat({ agent, cwd, root }) : undefined;
  if (latest) checkContinued(options);
  const mode = options.approve ?? (latest && (await findLaterMode(client, latest, cwd)));
  return { agent, keepsHistory, latest, mode, notes };
}

/** @param change What the options change in the continued session. */
export function toTerminalStart(
  { agent, keepsHistory, latest, mode, notes }: ChatStart,
  { model, limits }: { [K in 'model' | 'limits']?: SessionChange[K] | undefined },
): TerminalStart {
  const title = latest?.title ? `, ${toPrintable(latest.title).replace(/[.]+$/, '')}` : '';
  const found = latest ? [`Session ${latest.id}${title}. /new starts another one.`] : [];
  const change = optional({ model, mode, limits });
  return { agent, keepsHistory, session: latest?.id, change, notes: [...notes, ...found] };
}

/** The mode that the user chose after the last event of a session, if it is narrower than that of the session. */
async function findLaterMode(
  client: SessionClient,
  { mode, updatedAt }: SessionSummary,
  workspace: string | undefined,
): Promise<Mode | undefined> {
  const chosen = await client.startMode(workspace);
  if (mode === null || chosen.mode === mode || (chosen.chosenAt ?? 0) <= Date.parse(updatedAt)) return undefined;
  // Loaded with the engine.
  const { modeSchema } = await import('@klaus/sdk');
  const { options } = modeSchema;
  return options.indexOf(chosen.mode) < options.indexOf(mode as Mode) ? chosen.mode : undefined;
}
