import { hunksOf, isRecord, type EventOf } from '../../protocol/index.ts';
import type { CallState } from './state.ts';

/** The texts of a call that its question showed: its input, and the paths of the changes. */
export function toNamedTexts(
  { input }: Pick<CallState, 'input'>,
  asked: EventOf<'approval.asked'> | undefined,
): string[] {
  const paths = asked ? hunksOf(asked).map(({ path }) => path) : [];
  return [...toTexts(input), ...paths];
}

function toTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(toTexts);
  return isRecord(value) ? Object.values(value).flatMap(toTexts) : [];
}
