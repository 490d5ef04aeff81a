import type { CallPart, ProviderState, TextPart, ThinkingPart } from '@klaus/core/protocol';

/** Marks with which a former version kept two kinds of state in `encrypted`. */
const RESPONSES = 'responses:';
const AI_SDK = 'ai-sdk:';

/**
 * What the provider wants back with a part, in the form of its API: `signature` and `redacted_thinking` of Messages,
 * `id` and `encrypted_content` of Responses, fields of chat completions, `metadata` of the AI SDK. Each client sends the
 * fields that it knows.
 */
export function readState(part: TextPart | ThinkingPart | CallPart): ProviderState['data'] | undefined {
  if (part.providerState) return part.providerState.data;
  return part.type === 'thinking' ? readFormer(part) : undefined;
}

/** The state of a part of a former version. */
function readFormer({ signature, encrypted }: ThinkingPart): ProviderState['data'] | undefined {
  if (encrypted === undefined) return signature === undefined ? undefined : { signature };
  if (encrypted.startsWith(RESPONSES)) {
    const [id, content] = divide(encrypted.slice(RESPONSES.length));
    return content === undefined ? undefined : { id, encrypted_content: content };
  }
  if (!encrypted.startsWith(AI_SDK)) return { redacted_thinking: encrypted };
  const [place, metadata = '{}'] = divide(encrypted.slice(AI_SDK.length));
  return { [place === 'next' ? 'next' : 'metadata']: JSON.parse(metadata) as unknown };
}

/** A text at its first colon. */
function divide(text: string): [string, string | undefined] {
  const colon = text.indexOf(':');
  return colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}
