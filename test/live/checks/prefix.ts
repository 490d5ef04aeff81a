import { randomUUID } from 'node:crypto';
import type { Check } from '../check.ts';
import { CheckSkipped, need } from '../check-error.ts';
import { isLlamaCpp, toMessage } from '../live-server.ts';
import { openLiveSession } from '../live-session.ts';

/** Tokens. Shorter prompts are not cached by some services. */
const LONG_PREFIX = 5_000;

const secondTurn: Check = {
  name: 'a second turn',
  async run(server) {
    const { facts, sent, target } = server;
    const tokens = Math.min(LONG_PREFIX, Math.floor((facts.contextWindow ?? 16_384) / 3));
    // About one token a word. The first line is new, so that no earlier run has filled the cache.
    const system = `Run ${randomUUID()}. Answer in one word. ${'word '.repeat(tokens)}`;
    const model = await server.open();
    const marker = 'Name a color.';
    const messages = [toMessage('user', [{ type: 'text', text: marker }])];
    const from = sent.bodies.length;
    const limits = { system, maxOutputTokens: Math.min(64, target.maxOutputTokens) };
    const { end: first } = await server.finish(model, { ...limits, messages });
    messages.push(toMessage('assistant', first.parts), toMessage('user', [{ type: 'text', text: 'Another one.' }]));
    const { end: second } = await server.finish(model, { ...limits, messages });
    const [one = '', two = ''] = [sent.bodies[from], sent.bodies.at(-1)];
    const head = one.slice(0, one.indexOf(marker) + marker.length);
    need(head !== '' && two.startsWith(head), 'The second request does not begin with the bytes of the first one.');
    const { input, cacheRead, cacheWrite } = second.usage;
    const equal = `${head.length} bytes are equal`;
    if (cacheRead === 0) return `${equal}; the server reports no cached tokens`;
    return `${cacheRead} of ${input + cacheRead + cacheWrite} tokens from the cache (first turn: ${first.usage.cacheRead}); ${equal}`;
  },
};

const TURNS = 10;
/** Tokens of the instructions with the tools in their text, ten turns and their answers. */
const NEEDED = 4_000;

const tenTurns: Check = {
  name: 'a session of ten turns',
  async run(server) {
    const { contextWindow = Infinity } = server.facts;
    if (contextWindow < NEEDED) throw new CheckSkipped(`Ten turns do not fit in ${contextWindow} tokens.`);
    await using opened = await openLiveSession(server, { hasTools: true });
    let events = await opened.ask('Name a color.');
    for (let turn = 2; turn <= TURNS; turn++) events = await opened.ask(`Name color number ${turn}.`);
    const turns = events.flatMap((event) =>
      event.type === 'model.attempted' && event.purpose === 'turn' ? [event.usage] : [],
    );
    const prompts = turns.map(({ input, cacheRead, cacheWrite }) => input + cacheRead + cacheWrite);
    if (turns.every(({ cacheRead }) => cacheRead === 0)) throw new CheckSkipped('The server reports no cached tokens.');
    const ratios = turns.slice(1).map(({ cacheRead }, before) => Math.min(1, cacheRead / prompts[before]!));
    const least = Math.min(...ratios);
    const found = `${turns.length} requests with ${prompts[0]} to ${prompts.at(-1)} tokens; at least ${least.toFixed(3)} of each prompt was reused by the next one`;
    // Services report multiples of a block, and may forget.
    need(!isLlamaCpp(server) || least === 1, `${found}: ${ratios.map((ratio) => ratio.toFixed(3)).join(', ')}`);
    return found;
  },
};

export const PREFIX_CHECKS: readonly Check[] = [secondTurn, tenTurns];
