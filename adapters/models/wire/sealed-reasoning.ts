// Encrypted reasoning is returned only to the provider that encrypted it: another one rejects the request. A session
// can change its model, so the log marks reasoning that is not Anthropic's.

const MARK = 'responses:';
/** Begins what a provider of the AI SDK wants back. */
export const SEALED_METADATA = 'ai-sdk:';

export interface SealedReasoning {
  /** The provider's id of the item. */
  id: string;
  content: string;
}

/** As the `encrypted` of a thinking part. */
export function toSealed({ id, content }: SealedReasoning): string {
  return `${MARK}${id}:${content}`;
}

/** Undefined for reasoning of other providers. */
export function fromSealed(encrypted: string | undefined): SealedReasoning | undefined {
  if (encrypted === undefined || !encrypted.startsWith(MARK)) return undefined;
  const rest = encrypted.slice(MARK.length);
  const colon = rest.indexOf(':');
  return colon < 0 ? undefined : { id: rest.slice(0, colon), content: rest.slice(colon + 1) };
}

/** True for reasoning that Anthropic did not encrypt. */
export function isMarked(encrypted: string | undefined): boolean {
  return encrypted !== undefined && (encrypted.startsWith(MARK) || encrypted.startsWith(SEALED_METADATA));
}
