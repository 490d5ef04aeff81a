import type { Message } from '../../protocol/index.ts';

/** True for a message that an agent of another program gets. It reads the files of the workspace by itself. */
export function isUnsent({ role, origin, entries }: Message): boolean {
  return entries === undefined && role === 'user' && origin !== 'tools' && origin !== 'context';
}
