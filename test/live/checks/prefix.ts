import { randomUUID } from 'node:crypto';
import type { Check } from '../check.ts';
import { need } from '../check-error.ts';
import { toMessage } from '../live-server.ts';

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

export const PREFIX_CHECKS: readonly Check[] = [secondTurn];
