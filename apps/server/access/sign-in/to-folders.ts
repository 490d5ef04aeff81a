import { resolve } from 'node:path';
import type { Identity } from '../identity.ts';

/** @param entry `GROUP=FOLDER`, where the folder begins with the first slash after an equals sign. */
function toEntry(entry: string): { group: string; folder: string } {
  const at = entry.indexOf('=/');
  return { group: entry.slice(0, at), folder: resolve(entry.slice(at + 1)) };
}

/**
 * The folders that a person may see; undefined: all.
 *
 * @param mapping `server.projects`: `GROUP=FOLDER`; `*` is everyone. Empty: everyone sees all.
 */
export function toFolders(
  { role, groups }: Pick<Identity, 'role'> & { groups: readonly string[] },
  mapping: readonly string[],
): readonly string[] | undefined {
  if (role === 'admin' || mapping.length === 0) return undefined;
  const own = mapping.map(toEntry).filter(({ group }) => group === '*' || groups.includes(group));
  return [...new Set(own.map(({ folder }) => folder))];
}

/** The groups of a person that `server.projects` names. */
export function toNamedGroups(groups: readonly string[], mapping: readonly string[]): string[] {
  const named = new Set(mapping.map((entry) => toEntry(entry).group));
  return groups.filter((group) => group !== '*' && named.has(group));
}
