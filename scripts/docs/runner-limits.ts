import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toRunnerLimits } from '../../adapters/runners/index.ts';
import type { RunnerName } from '../../core/protocol/index.ts';
import { replaceBetween, toTable } from './markdown.ts';

export const OTHER_AGENTS = 'docs/guides/other-agents.md';
export const CLAUDE_CODE_GUIDE = 'docs/guides/claude-code.md';

const MARKS: Readonly<Record<string, RunnerName>> = { [OTHER_AGENTS]: 'acp', [CLAUDE_CODE_GUIDE]: 'claude-code' };

/** A guide with the invariants that its runner cannot hold. */
export function toRunnerPage(root: string, path: string): string {
  const page = readFileSync(join(root, path), 'utf8');
  const name = MARKS[path]!;
  const rows = toRunnerLimits(name).map(({ invariant, reason }) => [invariant, reason]);
  const table = toTable(['Invariant', 'What is different'], rows);
  return replaceBetween(page, [`<!-- ${name}-limits -->`, `<!-- /${name}-limits -->`], `\n\n${table}\n\n`);
}
