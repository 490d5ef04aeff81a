import { randomBytes } from 'node:crypto';

/** A unique name for a temporary file or folder in a workspace, which shows its origin. */
export function toTemporaryName(): string {
  return `.klaus-${process.pid}-${randomBytes(8).toString('hex')}.tmp`;
}
