import { headOf } from '@klaus/core/cut-text';
import type { ModelFailure, Refusal } from '@klaus/core/agent';
import { ProviderError } from './errors.ts';

/** Characters of an error's body that are read. */
const MAX_BODY = 4_000;

/** What a server says about an opaque state of the wire. */
const STATE =
  /signature|encrypted[_ ]content|reasoning_(?:content|details)|redacted_thinking|thinking\b.{0,20}\bblock/i;
/** States that some servers require with every call. */
const WITH_CALLS =
  /(?:missing|without|lacks?|requires?|must\b.{0,20}\b(?:be passed|include|have))\b.{0,60}\b(?:thought_?signature|reasoning_content)|(?:thought_?signature|reasoning_content)\b.{0,60}\b(?:missing|required|must)/i;
const IMAGE = /image|vision|multi-?modal/i;
/** The server looked at an image, and this one is the problem. */
const ONE_IMAGE =
  /could not process|(?:invalid|corrupt|broken)[ _]image|decode|too (?:large|big|small)|exceed|dimension|base64|media[ _]?type|image data|parse/i;
/** The server accepts nothing of the kind. */
const KIND = /unknown|unsupported|unrecogni[sz]ed|support|extra|permitted|allowed|additional propert/i;
const TOOL = /\btool|function|schema/i;

/**
 * The content that a server does not accept, as far as its error names it.
 *
 * @param tools Names of the offered tools, in their order.
 */
export function toRefusal(error: unknown, { code }: ModelFailure, tools: readonly string[]): Refusal | undefined {
  if (!(error instanceof ProviderError)) return undefined;
  if (code !== 'invalid_request' && code !== 'context_window') return undefined;
  const text = toText(error.body);
  if (WITH_CALLS.test(text)) return { kind: 'calls' };
  if (STATE.test(text)) return { kind: 'state', isKind: KIND.test(text) };
  if (IMAGE.test(text)) return { kind: 'image', isKind: KIND.test(text) || !ONE_IMAGE.test(text) };
  const tool = findTool(text, tools);
  return tool === undefined ? undefined : { kind: 'tool', tool };
}

/** The body without the request that some servers repeat in it. */
function toText(body: unknown): string {
  const isRequest = (key: string): boolean => key === 'input' || key === 'messages';
  const text =
    typeof body === 'string'
      ? body
      : JSON.stringify(body, (key, value: unknown) => (isRequest(key) ? undefined : value));
  return headOf(text ?? '', MAX_BODY);
}

/** The tool whose position or quoted name the error contains. */
function findTool(text: string, tools: readonly string[]): string | undefined {
  const index = /\btools?(?:\[|\.)(\d+)\b/.exec(text)?.[1];
  if (index !== undefined) return tools[Number(index)];
  if (!TOOL.test(text)) return undefined;
  const quoted = new Set([...text.matchAll(/['"`]([a-zA-Z0-9_-]{1,64})['"`]/g)].map(([, name]) => name));
  return tools.find((name) => quoted.has(name));
}
