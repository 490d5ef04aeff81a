import type { ListedSandbox } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { printRows } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';

export const SANDBOX_HEAD = ['SANDBOX', 'DRIVER', 'STATE', 'SESSION', 'WORKSPACE'];

export const list: LeafCommand = {
  name: 'ps',
  isDefault: true,
  summary: 'list sandboxes and orphans (the default)',
  examples: ['klaus sandbox ps'],
  description:
    'Lists the containers of the Docker sandbox, of every Klaus process that uses the engine, running commands in bubblewrap, and with the setting `sandbox.driver: kubernetes` the pods of its namespace. An orphan belongs to a Klaus process that has ended.',
  server: 'none',
  declare: (declared) => declared.option('--json', 'one object per line'),
  async run({ json }: { json?: true }) {
    const { listSandboxes } = await import('@klaus/sdk');
    printRows(await listSandboxes(), { json, head: SANDBOX_HEAD, toRow, empty: 'No sandbox runs.' });
  },
};

export function toRow({ id, driver, state, isOrphan, session, workspace }: ListedSandbox): string[] {
  return [toLine(id, 80), driver, isOrphan ? `${state}, orphan` : state, toLine(session, 40), toLine(workspace, 200)];
}
