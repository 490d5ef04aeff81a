import { HOST_EVENT_VERSION, toWellFormed, type HostEvent, type HostEventBody } from '@klaus/core/protocol';
import type { ChainHead } from '../sqlite/log/record.ts';

/** Redacts secrets in a text before it is stored. */
export type Redact = (text: string) => string;

/** The event that follows a host chain's head. @param options.at Unix milliseconds. */
export function toHostEvent(head: ChainHead, options: { body: HostEventBody; at: number; redact?: Redact }): HostEvent {
  const { redact } = options;
  const body = redact ? (redactFields(options.body, redact) as HostEventBody) : options.body;
  return toWellFormed({ v: HOST_EVENT_VERSION, seq: head.seq + 1, prev: head.hash, at: options.at, ...body });
}

/** The subject of an event: its session, its person or its workspace; empty for all. */
export function toSubject(body: HostEventBody): string {
  if ('session' in body) return body.session;
  if ('person' in body) return body.person;
  return 'workspace' in body ? body.workspace : '';
}

/** Fields with names of Klaus and digests, which contain no outside text. */
const OWN = new Set([
  'type',
  'session',
  'workspace',
  'approval',
  'head',
  'hash',
  'key',
  'answer',
  'kind',
  'scope',
  'guarded',
  'event',
  'call',
  'tool',
  'verdict',
  'what',
  'of',
  'place',
  'state',
]);

function redactFields(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactFields(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, OWN.has(key) ? item : redactFields(item, redact)]),
  );
}
