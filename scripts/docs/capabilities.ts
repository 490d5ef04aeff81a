import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLE_NAMES, describeCapability } from '../../core/policy/index.ts';
import { replaceBetween, toTable } from './markdown.ts';

/** docs/agents.md with the table of capabilities between its markers. */
export function toAgentsPage(root: string): string {
  const page = readFileSync(join(root, 'docs/agents.md'), 'utf8');
  const rows = BUNDLE_NAMES.map((name) => [`\`${name}\``, describeCapability(name).join('. ')]);
  const table = toTable(['Capability', 'What it opens'], rows);
  return replaceBetween(page, ['<!-- capabilities -->', '<!-- /capabilities -->'], `\n\n${table}\n\n`);
}
