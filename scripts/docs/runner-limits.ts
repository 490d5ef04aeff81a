import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toRunnerLimits } from '../../adapters/runners/index.ts';
import { replaceBetween, toTable } from './markdown.ts';

export const OTHER_AGENTS = 'docs/guides/other-agents.md';

/** The guide with the invariants that an ACP agent cannot hold. */
export function toOtherAgentsPage(root: string): string {
  const page = readFileSync(join(root, OTHER_AGENTS), 'utf8');
  const rows = toRunnerLimits('acp').map(({ invariant, reason }) => [invariant, reason]);
  const table = toTable(['Invariant', 'What is different'], rows);
  return replaceBetween(page, ['<!-- acp-limits -->', '<!-- /acp-limits -->'], `\n\n${table}\n\n`);
}
