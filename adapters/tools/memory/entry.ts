import { headOf } from '@klaus/core/cut-text';
import type { KnowledgeEntry } from '@klaus/core/agent';

/** Characters. */
const MAX_IN_LIST = 300;

/** A complete entry, below a line with its source. */
export function describeEntry(entry: KnowledgeEntry): string {
  const { key, value, category, scope, session, updatedAt } = entry;
  const who = session === null ? 'by the user' : `in session ${session}`;
  const date = new Date(updatedAt).toISOString().slice(0, 10);
  return `${key} [${scope === 'global' ? `${category}, all projects` : category}], noted ${who} on ${date}:\n${value}`;
}

export function listEntries(entries: readonly KnowledgeEntry[]): string {
  return entries
    .map(({ key, value, category, scope }) => {
      const text = value.replaceAll(/\s+/g, ' ');
      const shown = text.length <= MAX_IN_LIST ? text : `${headOf(text, MAX_IN_LIST)}…`;
      return `${key} [${scope === 'global' ? `${category}, all projects` : category}]: ${shown}`;
    })
    .join('\n');
}
