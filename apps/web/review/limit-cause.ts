import type { Conversation, Entry } from '@klaus/core/conversation';
import type { LimitName, LimitUsed } from '@klaus/core/protocol';
import type { Text } from '../text/en.ts';
import { formatBytes } from '../text/format.ts';

/** A part of the next request, such as an attached file. */
interface Part {
  name: string;
  characters: number;
}

/** Characters from which a part is named as the cause. */
const LARGE = 20_000;
/** Tools that are named with their number of calls. */
const MAX_TOOLS = 3;

/** What used up a limit, in one sentence: the largest part of the conversation, or the tools that were called most. */
export function toCause(limit: LimitName, { entries }: Pick<Conversation, 'entries'>, t: Text): string | undefined {
  if (limit === 'toolCalls' || limit === 'turns' || limit === 'minutes') {
    const counts = new Map<string, number>();
    for (const entry of entries) if (entry.kind === 'call') counts.set(entry.name, (counts.get(entry.name) ?? 0) + 1);
    const most = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, MAX_TOOLS);
    return most.length === 0 ? undefined : t.approval.mostCalls(most.map(([name, n]) => `${name} (${n})`).join(', '));
  }
  const largest = entries.flatMap((entry) => toParts(entry, t)).reduce<Part | undefined>(toLarger, undefined);
  if (!largest || largest.characters < LARGE) return undefined;
  return t.approval.largest(largest.name, formatBytes(largest.characters));
}

function toLarger(a: Part | undefined, b: Part): Part {
  return a && a.characters >= b.characters ? a : b;
}

function toParts(entry: Entry, t: Text): Part[] {
  if (entry.kind === 'user') {
    const files = entry.files.map(({ name, text = '' }) => ({ name, characters: text.length }));
    return [{ name: t.approval.yourMessage, characters: entry.text.length }, ...files];
  }
  if (entry.kind !== 'call') return [];
  const input = typeof entry.input === 'string' ? entry.input.length : JSON.stringify(entry.input ?? '').length;
  return [
    { name: t.approval.inputOf(entry.name), characters: input },
    { name: t.approval.outputOf(entry.name), characters: entry.result?.output.length ?? 0 },
  ];
}

/** What the next step needs; undefined if the offer does not depend on it. The offer is 125 % of the use after it. */
export function toNeed({ limit, used, cap, offer }: LimitUsed & { offer: number }): number | undefined {
  // A count was rounded up for the offer.
  const need = (limit === 'usd' ? offer / 1.25 : Math.floor(offer / 1.25)) - used;
  return offer > Math.ceil(cap * 1.5) && need > 0 ? need : undefined;
}

/** A value in the smallest unit that is shown: cents, or a number without decimals. */
export function round(limit: LimitName, value: number): number {
  return limit === 'usd' ? Math.ceil(value * 100) / 100 : Math.ceil(value);
}

/** The caps that the user can choose: the offer, twice and five times as much. */
export function toAmounts(offer: number): number[] {
  return [offer, offer * 2, offer * 5];
}
