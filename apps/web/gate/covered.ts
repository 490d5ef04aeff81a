import type { GivenApprovalView } from '@klaus/server/contract';

/** What an approval covers: its command, or its files. */
export function toCovered({ command, paths, tool }: GivenApprovalView['remembered']): string {
  return command ?? paths?.join(', ') ?? tool;
}
