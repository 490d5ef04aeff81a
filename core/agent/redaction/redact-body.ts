import type { Redactor } from '../../policy/index.ts';
import type { EventBody, Part } from '../../protocol/index.ts';

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
    const parts = body.message.parts.flatMap((part) => redactPart(part, redactor));
    return { ...body, message: { ...body.message, parts } };
  }
  if (body.type === 'tool.finished' && body.images) {
    const { images, ...rest } = body;
    return { ...(walk(rest, redactor) as typeof rest), images };
  }
  return walk(body, redactor) as EventBody;
}

export function redactPart(part: Part, redactor: Redactor): Part[] {
  if (part.type === 'image') return [part];
  const clean = walk(part, redactor) as Part;
  if (clean === part) return [part];
  if (part.type === 'thinking' && (part.signature !== undefined || part.encrypted !== undefined)) return [];
  if (clean.type === 'call') return [{ ...clean, redacted: true }];
  return [clean];
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
