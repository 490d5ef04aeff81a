import { createHash } from 'node:crypto';
import type { Usage } from '@klaus/core/protocol';
import type { Conversation } from './conversation.ts';
import type { Reply, ScriptStop } from './script.ts';
import { render } from './template.ts';

/** A reply with everything filled in, still of no wire format. */
export interface Answer {
  id: string;
  model: string;
  thinking: string;
  /** What proves that `thinking` came back unchanged. */
  signature: string;
  encrypted: string | undefined;
  text: string;
  calls: readonly { id: string; name: string; json: string }[];
  stop: ScriptStop;
  usage: Usage;
  /** Exact cost in US dollars, where the script names one. */
  usd: number | undefined;
}

const BYTES_PER_TOKEN = 4;

/**
 * @param cacheRead Tokens of the prompt that the provider would find in its cache.
 * @throws TemplateError
 */
export function toAnswer(reply: Reply, conversation: Conversation, cacheRead: number): Answer {
  const { text, usage } = reply;
  const thinking = render(reply.thinking ?? '', conversation);
  const said = typeof text === 'object' ? text.repeat.repeat(text.times) : render(text ?? '', conversation);
  const calls = (reply.calls ?? []).map((call, index) => ({
    id: call.id ?? `call_${conversation.turn}_${index}`,
    name: call.name,
    json: call.raw ?? JSON.stringify(renderAll(call.input ?? {}, conversation)),
  }));
  const prompt = countTokens(conversation.prompt.pieces);
  const rest = prompt - cacheRead;
  return {
    id: `msg_${digest(conversation.prompt.pieces.join('\n')).slice(0, 24)}`,
    model: conversation.model,
    thinking,
    signature: sign(thinking),
    encrypted: reply.encrypted,
    text: said,
    calls,
    stop: reply.stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
    usage: {
      input: usage?.input ?? (conversation.cached ? 0 : rest),
      output: usage?.output ?? countTokens([thinking, said, ...calls.map((call) => call.name + call.json)]),
      cacheRead: usage?.cacheRead ?? cacheRead,
      cacheWrite: usage?.cacheWrite ?? (conversation.cached ? rest : 0),
    },
    usd: usage?.usd,
  };
}

export function countTokens(pieces: readonly string[]): number {
  return Math.ceil(pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0) / BYTES_PER_TOKEN);
}

/** The signature that a thinking block of this text bears. */
export function sign(thinking: string): string {
  return `sig-${digest(thinking)}`;
}

export function digest(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

function renderAll(value: unknown, conversation: Conversation): unknown {
  if (typeof value === 'string') return render(value, conversation);
  if (Array.isArray(value)) return value.map((item) => renderAll(item, conversation));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderAll(item, conversation)]));
}
