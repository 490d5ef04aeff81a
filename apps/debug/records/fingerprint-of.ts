import { toFingerprint } from '../stack/fingerprint.ts';
import { toFrames } from '../stack/to-frames.ts';

/** 16 hexadecimal digits; equal for errors with the same cause. */
export function fingerprintOf(error: unknown): string {
  return toFingerprint(
    error,
    toFrames(error).map(({ frame }) => frame),
  );
}
