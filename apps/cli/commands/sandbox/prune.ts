import { printRows } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { SANDBOX_HEAD, toRow } from './list.ts';

export const prune: LeafCommand = {
  name: 'prune',
  summary: 'remove orphans',
  examples: ['klaus sandbox prune'],
  description: 'Removes the containers and pods of Klaus processes that have ended, and lists them.',
  server: 'none',
  declare: (declared) => declared.option('--json', 'one object per line'),
  async run({ json }: { json?: true }) {
    const { pruneSandboxes } = await import('@klaus/sdk');
    printRows(await pruneSandboxes(), { json, head: SANDBOX_HEAD, toRow, empty: 'There is no orphan.' });
  },
};
