import type { Event } from '@klaus/sdk';
import type { Check } from '../check.ts';
import { CheckSkipped, need } from '../check-error.ts';
import { describe, type LiveServer } from '../live-server.ts';
import { openLiveSession } from '../live-session.ts';

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
    return runSession(server, toWindow(server));
  },
};

/** The session does not know the window: it learns it from the refusal. */
async function runSession(server: LiveServer, window: number): Promise<string> {
  await using opened = await openLiveSession(server, { hasTools: false, maxPromptChars: window * 10 });
  const { session } = opened;
  let events: Event[] = [];
  for (let turn = 0, rest = 2; turn < MAX_TURNS && rest > 0; turn++) {
    events = await opened.ask(`Part ${turn}. ${'word '.repeat(Math.ceil(window / 4))} Answer with OK.`);
    if (events.some((event) => event.type === 'context.compacted')) rest--;
  }
  const attempts = events.flatMap((event) => (event.type === 'model.attempted' ? [event] : []));
  const refused = attempts.filter(({ outcome }) => outcome === 'context_window');
  const compactions = events.filter((event) => event.type === 'context.compacted').length;
  if (refused.length === 0) throw new CheckSkipped('The server refused none of the requests.');
  need(compactions > 0, 'The history was not compacted.');
  need((await session.replay()).outcome === 'equal', 'The log cannot be replayed.');
  return `${refused.length} refused, learned ${refused[0]!.sizes?.contextWindow ?? 'nothing'}, ${compactions} compactions, ${attempts.length} requests, done`;
}

export const OVERFLOW_CHECKS: readonly Check[] = [overflow, session];
