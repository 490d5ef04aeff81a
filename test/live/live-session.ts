import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKlaus, type Event, type Session } from '@klaus/sdk';
import { need } from './check-error.ts';
import { isLlamaCpp, type LiveServer } from './live-server.ts';
import { toServerSettings } from './target.ts';

export interface LiveSession extends AsyncDisposable {
  readonly session: Session;
  /** @returns The log after the answer. @throws CheckFailed unless the run is done. */
  ask: (prompt: string) => Promise<Event[]>;
}

export interface LiveSessionOptions {
  /** True: with the tools of Klaus, in the text of the instructions if the chat template has none. */
  hasTools: boolean;
  maxPromptChars?: number;
}

/** A session of the engine with the server, in a new folder. Its answers are short. */
export async function openLiveSession(
  server: LiveServer,
  { hasTools, maxPromptChars }: LiveSessionOptions,
): Promise<LiveSession> {
  const { target, wire, facts } = server;
  const home = mkdtempSync(join(tmpdir(), 'klaus-live-'));
  const workspace = join(home, 'work');
  mkdirSync(workspace);
  // A small model talks on until its answer is cut.
  const body = isLlamaCpp(server) ? { [wire === 'messages' ? 'stop_sequences' : 'stop']: [' '] } : undefined;
  const tools = hasTools && facts.hasTools === false ? ('text' as const) : undefined;
  const limits = { ...target, maxOutputTokens: Math.min(256, target.maxOutputTokens) };
  const live = toServerSettings(limits, wire, { body, tools });
  const klaus = await createKlaus({
    ...{ home, cwd: workspace, builtinTools: hasTools },
    env: { ...process.env, HOME: home, KLAUS_HOME: home },
    settings: {
      ...{ model: `live/${target.model}`, servers: { live }, 'sandbox.driver': 'host' },
      ...(maxPromptChars !== undefined && { maxPromptChars }),
      ...{ 'retry.attempts': 1, 'retry.firstTokenMs': target.timeoutMs, 'retry.idleMs': target.timeoutMs },
    },
  });
  const session = await klaus.open({ workspace, allowAnyWorkspace: true });
  let turn = 0;
  return {
    session,
    async ask(prompt) {
      turn++;
      await session.prompt(prompt);
      await session.advance();
      const events = await Array.fromAsync(session.events());
      const last = events.findLast((event) => event.type === 'run.finished');
      need(last?.outcome === 'done', `Turn ${turn} ended with ${last?.outcome}: ${last?.reason}`);
      return events;
    },
    async [Symbol.asyncDispose]() {
      await klaus.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
