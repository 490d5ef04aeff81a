import { headOf } from '../render/cut-text.ts';
import type { ErrorSummary } from '../contract/index.ts';
import { describeValue } from '../render/describe-value.ts';
import { formatValue, type Mask } from '../render/format-value.ts';
import { readOwn, readStack, readText } from './read-stack.ts';

const CHARACTERS = 8000;

/** An error, or any thrown value, as text without secrets. */
export function summarizeError(error: unknown, mask: Mask, depth = 5): ErrorSummary {
  const message = readOwn(error, 'message');
  if (typeof message !== 'string')
    return { name: describeValue(error).type, message: formatValue(error, { mask, depth: 2, length: 1000 }) };
  const text = (value: string): string => headOf(mask.text(value.slice(0, CHARACTERS * 2)), CHARACTERS);
  const stack = readStack(error);
  const code = readOwn(error, 'code');
  const cause = readOwn(error, 'cause');
  return {
    name: readText(error, 'name') ?? describeValue(error).type,
    message: text(message),
    ...(stack === undefined ? {} : { stack: text(stack) }),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: text(String(code)) } : {}),
    ...(cause === undefined || depth === 0 ? {} : { cause: summarizeError(cause, mask, depth - 1) }),
  };
}
