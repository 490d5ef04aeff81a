import { liveSchema, type Live } from '@klaus/core/protocol';

/** Name of the channel of in-flight text. Only processes that show it listen there. */
export const LIVE_CHANNEL = 'klaus_live';

/** Longest payload of a notification, in bytes. Source: https://www.postgresql.org/docs/15/sql-notify.html */
const MAX_BYTES = 7_999;

/**
 * The payloads for a piece, in order: a text that is too long for one is split between characters.
 *
 * @returns Nothing for a piece whose ids need most of a payload.
 */
export function toPayloads(holder: number, live: Live): string[] {
  const payload = `${holder}:${JSON.stringify(live)}`;
  if (Buffer.byteLength(payload) <= MAX_BYTES) return [payload];
  if (live.type === 'message.discarded') return [];
  if (Buffer.byteLength(JSON.stringify({ ...live, text: '' })) > MAX_BYTES / 2) return [];
  const head = takeText(live.text, Math.ceil(live.text.length / 2));
  const rest = { ...live, offset: live.offset + head.length, text: live.text.slice(head.length) };
  return [...toPayloads(holder, { ...live, text: head }), ...toPayloads(holder, rest)];
}

/** At most `length` UTF-16 units from the beginning of a text, without a part of a character. */
export function takeText(text: string, length: number): string {
  const isCut = length > 0 && length < text.length && isHighSurrogate(text.charCodeAt(length - 1));
  return text.slice(0, isCut ? length - 1 : length);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff;
}

/** Undefined for a payload of another program. */
export function fromLivePayload(payload: string): { holder: number; live: Live } | undefined {
  const found = /^(\d+):(.*)$/s.exec(payload);
  if (!found) return undefined;
  try {
    const { data } = liveSchema.safeParse(JSON.parse(found[2]!));
    return data && { holder: Number(found[1]), live: data };
  } catch {
    return undefined;
  }
}
