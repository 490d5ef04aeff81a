import type { RuleVerdict } from '../reviewer.ts';
import { readCall } from './read-call.ts';
import type { ReviewedCall } from './reviewed-call.ts';

/** A command that is shorter occurs in a text by accident. */
const MIN_LENGTH = 6;
const NEGATION = /\b(?:do not|don['’]?t|never|not|without|avoid|instead of|rather than|no)\b[^.;\n]{0,60}$/i;
const ASKS = /\b(?:run|execut\w*|please|use|do|call|start|type|yes|go ahead with|then)\b[^.;\n]{0,40}$/i;

/** Decides about a denied command that the user's own messages name literally. */
export function judgeAppeal({ request, ...call }: ReviewedCall & { request: string[] }): RuleVerdict | undefined {
  const words = request.filter((message) => message.trim() !== '');
  if (words.length === 0) return { outcome: 'deny', reason: 'No message of the user asks for it.' };
  const read = readCall(call);
  if (read.kind !== 'command') return undefined;
  const toPlain = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
  const command = toPlain(read.command);
  if (command.length < MIN_LENGTH) return undefined;
  // The latest message that names the command decides.
  const message = words.map(toPlain).findLast((each) => each.includes(command));
  if (message === undefined || message !== toPlain(words.at(-1)!)) return undefined;
  const at = message.indexOf(command);
  const [before, after] = [message.slice(0, at), message.slice(at + command.length)];
  if (NEGATION.test(before)) return { outcome: 'deny', reason: `The user asked not to run ${command}.` };
  // A longer command contains this one, with another meaning.
  const isComplete =
    /(?:^|[\s`'":(])$/.test(before) && /^(?:$|[`'")]|[.!]?(?:\s*$|\n)|\s+(?:please|now|again)\b)/.test(after);
  return isComplete && (ASKS.test(before) || before.replaceAll(/[`'"\s]/g, '') === '')
    ? { outcome: 'pass', reason: `The user's latest message asks for ${command}.` }
    : undefined;
}
