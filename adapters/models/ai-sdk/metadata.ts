import { optional } from '@klaus/core/optional';
import type { ThinkingPart } from '@klaus/core/protocol';
import { fromSealed, SEALED_METADATA, toSealed } from '../wire/sealed-reasoning.ts';
import type { ProviderMetadata } from './language-model.ts';

// What a provider wants back with its reasoning is in the log as the native clients write and read it, where they have
// a form of it, so that a session can change between them. Everything else is kept as it came.

/** The place of metadata: the reasoning itself, or the part that follows. */
type Place = 'own' | 'next';

/** Adds to the metadata that came with earlier pieces of a part. */
export function mergeMetadata(known: ProviderMetadata, more: ProviderMetadata | undefined): ProviderMetadata {
  const merged = { ...known };
  for (const [name, fields] of Object.entries(more ?? {})) merged[name] = { ...merged[name], ...fields };
  return merged;
}

/** Reasoning as a part of a message; undefined if it is empty. */
export function toThinking(text: string, metadata: ProviderMetadata): ThinkingPart | undefined {
  const kept = toKept(metadata);
  return text === '' && kept.encrypted === undefined ? undefined : { type: 'thinking', text, ...kept };
}

function toKept(metadata: ProviderMetadata): Pick<ThinkingPart, 'signature' | 'encrypted'> {
  const names = Object.keys(metadata);
  if (names.length === 0) return {};
  const { anthropic, openai } = metadata;
  if (names.length === 1 && anthropic) {
    const { signature, redactedData } = anthropic;
    if (typeof signature === 'string') return { signature };
    if (typeof redactedData === 'string') return { encrypted: redactedData };
  }
  if (names.length === 1 && openai) {
    const { itemId: id, reasoningEncryptedContent: content } = openai;
    // Nothing is stored at the provider, so an id without content refers to nothing.
    return typeof id === 'string' && typeof content === 'string' ? { encrypted: toSealed({ id, content }) } : {};
  }
  return { encrypted: seal('own', metadata) };
}

/**
 * Signatures that came with a text or a call, as Gemini signs its calls. Those parts have no field for them, so a
 * part of reasoning before them has them. Ids and other fields are not kept.
 */
export function toSignaturePart(metadata: ProviderMetadata): ThinkingPart | undefined {
  const signatures: ProviderMetadata = {};
  for (const [name, fields] of Object.entries(metadata)) {
    const found = Object.entries(fields).filter(([key, value]) => /signature$/i.test(key) && typeof value === 'string');
    if (found.length > 0) signatures[name] = Object.fromEntries(found);
  }
  if (Object.keys(signatures).length === 0) return undefined;
  return { type: 'thinking', text: '', encrypted: seal('next', signatures) };
}

/** The metadata of a part of reasoning in the log, and whether it belongs to the next part instead. */
export function fromThinking({ signature, encrypted }: ThinkingPart): { place: Place; metadata?: ProviderMetadata } {
  const sealed = fromSealed(encrypted);
  if (sealed) {
    const openai = { itemId: sealed.id, reasoningEncryptedContent: sealed.content };
    return { place: 'own', metadata: { openai } };
  }
  const own = encrypted === undefined ? undefined : unseal(encrypted);
  if (own) return own;
  if (encrypted === undefined && signature === undefined) return { place: 'own' };
  return { place: 'own', metadata: { anthropic: optional({ redactedData: encrypted, signature }) } };
}

function seal(place: Place, metadata: ProviderMetadata): string {
  return `${SEALED_METADATA}${place}:${JSON.stringify(metadata)}`;
}

function unseal(text: string): { place: Place; metadata: ProviderMetadata } | undefined {
  if (!text.startsWith(SEALED_METADATA)) return undefined;
  const rest = text.slice(SEALED_METADATA.length);
  const colon = rest.indexOf(':');
  const place = rest.slice(0, colon) === 'next' ? 'next' : 'own';
  return { place, metadata: JSON.parse(rest.slice(colon + 1)) as ProviderMetadata };
}
