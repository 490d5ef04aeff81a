import { headOf, tailOf } from '../../protocol/index.ts';
import type { CallPart, Message } from '../../protocol/index.ts';

/** Maximum characters of a call's input, as JSON, in the history. */
const MAX_INPUT = 50_000;
/** Characters of all texts of a longer input together, and of each key. */
const ROOM = 20_000;
const MAX_KEY = 100;
/** Maximum entries of a list or an object, and maximum depth. */
const MAX_ENTRIES = 50;
const MAX_DEPTH = 6;

/**
 * A message for the history: the input of a call is cut if it is too long to be sent with every request, with a note.
 * The result depends on the message alone, so that its bytes are the same in every request. The log and the call have
 * the complete input.
 */
export function cutInputs(message: Message): Message {
  if (!message.parts.some(isLong)) return message;
  return { ...message, parts: message.parts.map((part) => (isLong(part) ? cutCall(part as CallPart) : part)) };
}

function isLong(part: Message['parts'][number]): boolean {
  return part.type === 'call' && JSON.stringify(part.input ?? null).length > MAX_INPUT;
}

function cutCall(part: CallPart): CallPart {
  const texts = countTexts(part.input);
  const input = cutValue(part.input, { perText: Math.floor(ROOM / Math.max(1, texts)), depth: 0 });
  const json = JSON.stringify(input);
  // A list of numbers can still be too long.
  return { ...part, input: json.length <= MAX_INPUT ? input : { input: cutText(JSON.stringify(part.input), ROOM) } };
}

/** Number of texts that share the allowed characters. */
function countTexts(value: unknown, depth = 0): number {
  if (typeof value === 'string') return 1;
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return 0;
  return Object.values(value)
    .slice(0, MAX_ENTRIES)
    .reduce<number>((sum, item) => sum + countTexts(item, depth + 1), 0);
}

function cutValue(value: unknown, given: { perText: number; depth: number }): unknown {
  if (typeof value === 'string') return cutText(value, given.perText);
  if (typeof value !== 'object' || value === null) return value;
  const below = { ...given, depth: given.depth + 1 };
  if (below.depth > MAX_DEPTH) return leftOut(JSON.stringify(value).length, 'characters');
  if (Array.isArray(value)) {
    const rest = value.length - MAX_ENTRIES;
    const kept = value.slice(0, MAX_ENTRIES).map((item) => cutValue(item, below));
    return rest > 0 ? [...kept, leftOut(rest, 'entries')] : kept;
  }
  const entries = Object.entries(value);
  const kept = entries.slice(0, MAX_ENTRIES).map(([key, item]) => [cutText(key, MAX_KEY), cutValue(item, below)]);
  const rest = entries.length - MAX_ENTRIES;
  return Object.fromEntries(rest > 0 ? [...kept, ['…', leftOut(rest, 'fields')]] : kept);
}

function cutText(text: string, max: number): string {
  const keep = Math.max(100, max);
  // A cut that saves less than its own note is not made.
  if (text.length <= keep + 200) return text;
  const head = headOf(text, Math.floor(keep * 0.7));
  const tail = tailOf(text, Math.floor(keep * 0.3));
  return `${head}\n${leftOut(text.length - head.length - tail.length, 'characters')}\n${tail}`;
}

function leftOut(count: number, what: string): string {
  return `[… ${count} ${what} of this input are not shown again; the call was made with them …]`;
}
