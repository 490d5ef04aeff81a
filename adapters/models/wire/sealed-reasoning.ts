// Encrypted reasoning is returned only to the provider that encrypted it: another one rejects the request. A session
// can change its model, so the log marks reasoning that Responses encrypted.

const MARK = 'responses:';

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
