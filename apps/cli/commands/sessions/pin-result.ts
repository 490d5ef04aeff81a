import type { PinResult } from '@klaus/sdk';
import { out } from '../../output/sink.ts';

export function printPinResult(
  { pin, applied }: PinResult,
  { session, verb, json }: { session: string; verb: 'Pinned' | 'Unpinned'; json: true | undefined },
): void {
  if (json) out.json({ session, pin, applied });
  else {
    const when = applied ? '' : ' The process that works on the session, or its next run, applies it.';
    out.write(`${verb}: ${pin}.${when}\n`);
  }
}
