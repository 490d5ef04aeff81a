import type { Redactor } from '../../policy/index.ts';
import type { EventBody, Part, TextPart, ThinkingPart } from '../../protocol/index.ts';

/** Keys of events whose values are ids or hashes, never foreign text. */
const SKIPPED = new Set([
  'type',
  'id',
  'run',
  'call',
  'hash',
  'before',
  'after',
  'callHash',
  'grantHash',
  'requestHash',
  'contentHash',
]);
/** Keys whose values, including their keys, are foreign. */
const FOREIGN = new Set(['input', 'detail', 'content']);

/** Redacts secrets in an event before it is appended. A call whose input changed is marked. */
export function redactBody(body: EventBody, redactor: Redactor): EventBody {
  if (body.type === 'session.opened') return body;
  if (body.type === 'message.added') {
    const parts = redactParts(body.message.parts, redactor);
    return { ...body, message: { ...body.message, parts } };
  }
  if (body.type === 'tool.finished' && body.images) {
    const { images, ...rest } = body;
    return { ...(walk(rest, redactor) as typeof rest), images };
  }
  return walk(body, redactor) as EventBody;
}

/**
 * Redacts the parts of a message. Signed reasoning that needs redaction is removed, with the signatures of all text and
 * reasoning of the message: they were made for the complete answer. A call keeps its signature, because its provider
 * rejects a call without one.
 */
export function redactParts(parts: readonly Part[], redactor: Redactor): Part[] {
  const pairs = parts.map((part) => ({ part, clean: redactPart(part, redactor) }));
  if (!pairs.some(isBroken)) return pairs.map(({ clean }) => clean);
  return pairs.flatMap((pair) => {
    const { part, clean } = pair;
    if (part.type === 'thinking' && isBroken(pair)) return [];
    if ((part.type !== 'thinking' && part.type !== 'text') || !isSealed(part)) return [clean];
    return [{ type: part.type, text: 'text' in clean ? (clean.text ?? '') : '' }];
  });
}

function redactPart(part: Part, redactor: Redactor): Part {
  if (part.type === 'image') return part;
  const clean = walk(part, redactor) as Part;
  if (clean === part || clean.type !== 'call' || part.type !== 'call') return clean;
  const { providerState, ...rest } = clean;
  const isChanged = clean.input !== part.input || clean.name !== part.name;
  return {
    ...rest,
    ...(isChanged && { redacted: true }),
    // A changed state is of no use.
    ...(providerState && providerState === part.providerState && { providerState }),
  };
}

/** True for a signed or encrypted part of an answer that redaction changed. */
function isBroken({ part, clean }: { part: Part; clean: Part }): boolean {
  return clean !== part && (part.type === 'thinking' || part.type === 'text') && isSealed(part);
}

function isSealed(part: TextPart | ThinkingPart): boolean {
  if (part.providerState) return part.providerState.plain !== true;
  return part.type === 'thinking' && (part.signature ?? part.encrypted) !== undefined;
}

/** Returns the same value without a copy if nothing was found. */
function walk(value: unknown, redactor: Redactor, isForeign = false): unknown {
  if (typeof value === 'string') return value.length < 8 ? value : redactor.redact(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => walk(item, redactor, isForeign));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  let isChanged = false;
  const clean = entries.map(([key, item]) => {
    const name = isForeign ? (walk(key, redactor) as string) : key;
    const kept = !isForeign && SKIPPED.has(key) ? item : walk(item, redactor, isForeign || FOREIGN.has(key));
    isChanged ||= name !== key || kept !== item;
    return [name, kept] as const;
  });
  return isChanged ? Object.fromEntries(clean) : value;
}
