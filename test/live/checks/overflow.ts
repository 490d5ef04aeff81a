import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKlaus, type Event } from '@klaus/sdk';
import type { Check } from '../check.ts';
import { CheckSkipped, need } from '../check-error.ts';
import { describe, isLlamaCpp, type LiveServer } from '../live-server.ts';
import { toServerSettings } from '../target.ts';

/** Prompts of the session; each fills a quarter of the window. */
const MAX_TURNS = 8;

/** @throws CheckSkipped if the window is unknown, or larger than the user allows to fill. */
function toWindow({ facts, target }: LiveServer): number {
  const { contextWindow } = facts;
  if (contextWindow === undefined)
    throw new CheckSkipped('The server does not name its context window: see `--window`.');
  if (contextWindow <= target.maxWindow) return contextWindow;
  throw new CheckSkipped(`The context window has ${contextWindow} tokens, more than \`--max-window\` allows.`);
}

const overflow: Check = {
  name: 'a prompt longer than the window',
  async run(server) {
    const window = toWindow(server);
    const text = 'word '.repeat(Math.ceil(window * 1.25));
    const { end } = await server.ask(await server.open(), { text, maxOutputTokens: 16 });
    if (end.type === 'finished') {
      const { input, cacheRead } = end.usage;
      throw new CheckSkipped(`The server accepted it, and counted ${input + cacheRead} tokens of ${window}.`);
    }
    need(end.failure.code === 'context_window', describe(end.failure));
    const named = end.failure.sizes?.contextWindow;
    need(named === undefined || named <= window, `A window of ${named} tokens was read: ${describe(end.failure)}`);
    return `${describe(end.failure)} (window: ${named ?? 'not named'})`;
  },
};

const session: Check = {
  name: 'a session that passes the window',
  async run(server) {
    const window = toWindow(server);
    const home = mkdtempSync(join(tmpdir(), 'klaus-live-'));
    try {
      return await runSession(server, { home, window });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};

/** The session does not know the window: it learns it from the refusal. */
async function runSession(server: LiveServer, { home, window }: { home: string; window: number }): Promise<string> {
  const { target, wire } = server;
  // A small model talks on until its answer is cut.
  const short = isLlamaCpp(server) ? { body: { [wire === 'messages' ? 'stop_sequences' : 'stop']: [' '] } } : {};
  const live = toServerSettings({ ...target, maxOutputTokens: Math.min(256, target.maxOutputTokens) }, wire, short);
  await using klaus = await createKlaus({
    ...{ home, cwd: home, builtinTools: false },
    env: { ...process.env, HOME: home, KLAUS_HOME: home },
    settings: {
      ...{ model: `live/${target.model}`, servers: { live }, 'sandbox.driver': 'host', maxPromptChars: window * 10 },
      ...{ 'retry.attempts': 1, 'retry.firstTokenMs': target.timeoutMs, 'retry.idleMs': target.timeoutMs },
    },
  });
  const opened = await klaus.open({ workspace: home, allowAnyWorkspace: true });
  let events: Event[] = [];
  for (let turn = 0, rest = 2; turn < MAX_TURNS && rest > 0; turn++) {
    await opened.prompt(`Part ${turn}. ${'word '.repeat(Math.ceil(window / 4))} Answer with OK.`);
    await opened.advance();
    events = await Array.fromAsync(opened.events());
    const last = events.findLast((event) => event.type === 'run.finished');
    need(last?.outcome === 'done', `Turn ${turn + 1} ended with ${last?.outcome}: ${last?.reason}`);
    if (events.some((event) => event.type === 'context.compacted')) rest--;
  }
  const attempts = events.flatMap((event) => (event.type === 'model.attempted' ? [event] : []));
  const refused = attempts.filter(({ outcome }) => outcome === 'context_window');
  const compactions = events.filter((event) => event.type === 'context.compacted').length;
  if (refused.length === 0) throw new CheckSkipped('The server refused none of the requests.');
  need(compactions > 0, 'The history was not compacted.');
  need((await opened.replay()).outcome === 'equal', 'The log cannot be replayed.');
  return `${refused.length} refused, learned ${refused[0]!.sizes?.contextWindow ?? 'nothing'}, ${compactions} compactions, ${attempts.length} requests, done`;
}

export const OVERFLOW_CHECKS: readonly Check[] = [overflow, session];
