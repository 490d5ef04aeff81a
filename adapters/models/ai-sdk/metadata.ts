import { isRecord, type CallPart, type ProviderState, type TextPart, type ThinkingPart } from '@klaus/core/protocol';
import { readState } from '../wire/provider-state.ts';
import type { ProviderMetadata } from './language-model.ts';

/** Adds to the metadata that came with earlier pieces of a part. */
export function mergeMetadata(known: ProviderMetadata, more: ProviderMetadata | undefined): ProviderMetadata {
  const merged = { ...known };
  for (const [name, fields] of Object.entries(more ?? {})) merged[name] = { ...merged[name], ...fields };
  return merged;
}

/** Reasoning as a part of a message; undefined if it is empty. */
export function toThinking(text: string, metadata: ProviderMetadata): ThinkingPart | undefined {
  const data = toData(metadata);
  if (text === '' && !data) return undefined;
  return { type: 'thinking', text, ...(data && { providerState: { data } }) };
}

/** In the form of the native clients, where they have one, and as it came otherwise. */
function toData(metadata: ProviderMetadata): ProviderState['data'] | undefined {
  const names = Object.keys(metadata);
  if (names.length === 0) return undefined;
  const { anthropic, openai } = metadata;
  if (names.length === 1 && anthropic) {
    const { signature, redactedData } = anthropic;
    if (typeof signature === 'string') return { signature };
    if (typeof redactedData === 'string') return { redacted_thinking: redactedData };
  }
  if (names.length === 1 && openai) {
    const { itemId: id, reasoningEncryptedContent: content } = openai;
    // Nothing is stored at the provider, so an id without content refers to nothing.
    return typeof id === 'string' && typeof content === 'string' ? { id, encrypted_content: content } : undefined;
  }
  return { metadata };
}

/** Signatures that came with a text or a call, as Gemini signs its calls. Ids and other fields are not kept. */
export function toSignatures(metadata: ProviderMetadata): { providerState?: ProviderState } {
  const signatures: ProviderMetadata = {};
  for (const [name, fields] of Object.entries(metadata)) {
    const found = Object.entries(fields).filter(([key, value]) => /signature$/i.test(key) && typeof value === 'string');
    if (found.length > 0) signatures[name] = Object.fromEntries(found);
  }
  return Object.keys(signatures).length === 0 ? {} : { providerState: { data: { metadata: signatures } } };
}

/** The metadata of a part in the log. `next`: of the part that follows, in a log of a former version. */
export function readMetadata(part: TextPart | ThinkingPart | CallPart): {
  own?: ProviderMetadata;
  next?: ProviderMetadata;
} {
  const state = readState(part);
  if (!state) return {};
  const { metadata, next, signature, redacted_thinking: redactedData, id: itemId, encrypted_content: content } = state;
  if (isRecord(next)) return { next: next as ProviderMetadata };
  if (isRecord(metadata)) return { own: metadata as ProviderMetadata };
  // In the form of the native clients.
  if (typeof signature === 'string') return { own: { anthropic: { signature } } };
  if (typeof redactedData === 'string') return { own: { anthropic: { redactedData } } };
  if (typeof itemId === 'string' && typeof content === 'string') {
    return { own: { openai: { itemId, reasoningEncryptedContent: content } } };
  }
  return {};
}
