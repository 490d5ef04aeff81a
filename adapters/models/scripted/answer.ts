import { splitText } from '@klaus/core/cut-text';
import { createHash } from 'node:crypto';
import type { Usage } from '@klaus/core/protocol';
import type { Conversation } from './conversation.ts';
import type { Reply, ReplyCall, ScriptStop } from './script.ts';
import { render } from './template.ts';
import { type ToolOffer, toShellCall } from './tool-offer.ts';
import { BadRequest } from './wire.ts';

/** A complete reply, independent of the wire format. */
export interface Answer {
  id: string;
  model: string;
  thinking: string;
  /** The signature with which the server checks that `thinking` is returned unchanged. */
  signature: string;
  encrypted: string | undefined;
  text: string;
  calls: readonly { id: string; name: string; json: string; kind: ToolOffer['kind'] }[];
  /** Results of the provider's own search. */
  search: NonNullable<Reply['search']> | undefined;
  stop: ScriptStop;
  usage: Usage;
  /** The part of the output tokens that is `thinking`. */
  thinkingTokens: number;
  /** Exact cost in US dollars, if the script has one. */
  usd: number | undefined;
}

const BYTES_PER_TOKEN = 4;

/**
 * @param cacheRead Tokens of the prompt that the provider would find in its cache.
 * @throws TemplateError, BadRequest when a shell command is to be run and no tool of the request does that.
 */
export function toAnswer(reply: Reply, conversation: Conversation, cacheRead: number): Answer {
  const { text, usage } = reply;
  const thinking = render(reply.thinking ?? '', conversation);
  const said = typeof text === 'object' ? text.repeat.repeat(text.times) : render(text ?? '', conversation);
  const calls = (reply.calls ?? []).map((call, index) => ({
    id: call.id ?? `call_${conversation.turn}_${index}`,
    ...toCall(call, conversation),
  }));
  if (reply.search && !conversation.search)
    throw new BadRequest('The script searches, and the request does not ask for it.');
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
    search: reply.search,
    stop: reply.stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
    usage: {
      input: usage?.input ?? (conversation.cached ? 0 : rest),
      output: usage?.output ?? countTokens([thinking, said, ...calls.map((call) => call.name + call.json)]),
      cacheRead: usage?.cacheRead ?? cacheRead,
      cacheWrite: usage?.cacheWrite ?? (conversation.cached ? rest : 0),
    },
    thinkingTokens: countTokens([thinking]),
    usd: usage?.usd,
  };
}

function toCall(call: ReplyCall, conversation: Conversation): { name: string; json: string; kind: ToolOffer['kind'] } {
  const { name, input } =
    call.shell === undefined
      ? { name: call.name!, input: renderAll(call.input ?? {}, conversation) }
      : toShellCall(conversation.tools, render(call.shell, conversation));
  const kind = conversation.tools.find((tool) => tool.name === name)?.kind ?? 'function';
  return { name, kind, json: call.raw ?? JSON.stringify(input) };
}

export function countTokens(pieces: readonly string[]): number {
  return Math.ceil(pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0) / BYTES_PER_TOKEN);
}

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

/** Pieces of at most `size` characters. */
export function cut(text: string, size: number): string[] {
  return splitText(text, size);
}
