// Reasoning that a provider encrypted goes back to that provider alone: another one refuses the request. A
// session can change its model, so what Responses sealed is marked as such in the log.

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

/** Undefined for what did not come from Responses. */
export function fromSealed(encrypted: string | undefined): SealedReasoning | undefined {
  if (encrypted === undefined || !encrypted.startsWith(MARK)) return undefined;
  const rest = encrypted.slice(MARK.length);
  const colon = rest.indexOf(':');
  return colon < 0 ? undefined : { id: rest.slice(0, colon), content: rest.slice(colon + 1) };
}
