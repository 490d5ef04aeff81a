import type { OutputPart } from '@klaus/core/output-part';
import { formatBytes, formatCount, formatNumber } from './format.ts';

/** `3,000 lines, 276 shown`; without the number of lines, `98 KiB, 276 lines shown`. */
export function describeOutputPart({ lines, bytes, shown }: OutputPart): string {
  return lines !== undefined
    ? `${formatNumber(lines, 'line')}, ${formatCount(shown)} shown`
    : `${formatBytes(bytes)}, ${formatNumber(shown, 'line')} shown`;
}
