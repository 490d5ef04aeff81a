import type { ModelFailure } from '../ports/model.ts';

const NO_ROOM = '; the limits leave no room for another attempt';
const LONG_ANSWER = ' (the setting maxOutputTokens is the longest answer that Klaus requests)';

/** The message of a failed attempt in the log: that of its failure, and why there is no other attempt. */
export function toMessage(
  { message, cause }: ModelFailure,
  { hasRoom, isFinal }: { hasRoom: boolean; isFinal: boolean },
): string {
  if (!hasRoom) return message + NO_ROOM;
  return isFinal && cause === 'output_limit' ? message + LONG_ANSWER : message;
}

/** The message of the failure, from that of the log. */
export function toSaid(message = ''): string {
  const end = [NO_ROOM, LONG_ANSWER].find((addition) => message.endsWith(addition));
  return end === undefined ? message : message.slice(0, -end.length);
}
