import { isRecord, type CallPart, type Part, type ProviderState, type ThinkingPart } from '@klaus/core/protocol';
import { readState } from '../wire/provider-state.ts';

// What servers want back with an answer of chat completions:
// - `reasoning_content` (DeepSeek, Kimi, GLM, llama.cpp) or `reasoning` (vLLM, Ollama): the text of the reasoning, in the
//   field in which it came. DeepSeek requires it for answers with calls and ignores it for others.
//   Sources: https://api-docs.deepseek.com/guides/thinking_mode, https://docs.z.ai/guides/capabilities/thinking-mode
// - `reasoning_details` (OpenRouter, MiniMax): a list of the reasoning in the form of the model's own provider.
//   Source: https://openrouter.ai/docs/guides/best-practices/reasoning-tokens
// - `extra_content` (Gemini): signatures of calls, and of the message.
//   Source: https://ai.google.dev/gemini-api/docs/thought-signatures

/** Fields whose value is the text of the reasoning, the preferred one first. */
const TEXT_FIELDS = ['reasoning_content', 'reasoning'] as const;

type Detail = Record<string, unknown>;

/** Collects the state of one answer from its deltas. */
export function createAnswerState(): {
  take(delta: unknown): void;
  /** The reasoning with the state of the message; nothing if there is neither. */
  toThinking(text: string, hasCalls: boolean): ThinkingPart[];
} {
  const details: Detail[] = [];
  let field: string | undefined;
  let extra: object | undefined;
  return {
    take(delta) {
      if (!isRecord(delta)) return;
      field ??= TEXT_FIELDS.find((name) => typeof delta[name] === 'string');
      if (isRecord(delta['extra_content'])) extra = delta['extra_content'];
      for (const detail of toList(delta['reasoning_details'])) if (isRecord(detail)) addDetail(details, detail);
    },
    toThinking(text, hasCalls) {
      const data = {
        // The details contain the text too.
        ...(details.length > 0 ? { reasoning_details: details } : field && { field }),
        ...(extra && { extra_content: extra }),
      };
      const isPlain = !extra && details.every(({ signature, data: sealed }) => !signature && !sealed);
      const providerState: ProviderState = { data, ...(isPlain && { plain: true }) };
      // An empty field is required with calls.
      const isNeeded = details.length > 0 || extra !== undefined || (hasCalls && field !== undefined);
      if (text === '' && !isNeeded) return [];
      return [{ type: 'thinking', text, ...(Object.keys(data).length > 0 && { providerState }) }];
    },
  };
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Pieces of one detail have the same type and index, and no other id. Its texts grow; all other fields are replaced. */
function addDetail(details: Detail[], piece: Detail): void {
  const { type, index, id } = piece;
  const known =
    index == null
      ? undefined
      : details.findLast(
          (detail) =>
            detail['type'] === type &&
            detail['index'] === index &&
            (id == null || detail['id'] == null || detail['id'] === id),
        );
  if (!known) return void details.push({ ...piece });
  for (const [name, value] of Object.entries(piece)) {
    if (value == null) continue;
    const before = known[name];
    const grows = (name === 'text' || name === 'summary') && typeof before === 'string' && typeof value === 'string';
    known[name] = grows ? before + value : value;
  }
}

/** The fields of a message that its server wants back. */
export function fromThinkingState(parts: readonly Part[]): object {
  const part = parts.find((each) => each.type === 'thinking');
  const { field, reasoning_details, extra_content } = (part && readState(part)) ?? {};
  return {
    ...(TEXT_FIELDS.some((name) => name === field) && { [field as string]: part?.text }),
    ...(Array.isArray(reasoning_details) && { reasoning_details }),
    ...(isRecord(extra_content) && { extra_content }),
  };
}

/** The fields of a call that its server wants back. */
export function fromCallState(part: CallPart): object {
  const { extra_content } = readState(part) ?? {};
  return isRecord(extra_content) ? { extra_content } : {};
}
