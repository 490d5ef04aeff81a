import type { Agents, FoundAgent } from '@klaus/sdk';
import { openKlaus } from '../../client/open-klaus.ts';
import { toShortPath } from '../../output/short-path.ts';
import { err } from '../../output/sink.ts';
import { printRows } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { isKlausError } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { addProject } from './definition-options.ts';
import { toLastUse } from './last-use.ts';

interface Requests {
  capabilities: readonly string[];
  grants: readonly string[];
  /** Null: all that the authority covers. */
  tools: readonly string[] | null;
}

export const list: LeafCommand = {
  name: 'list',
  isDefault: true,
  summary: 'list the agents of this folder (the default)',
  examples: ['klaus agents list'],
  server: 'local',
  declare: (declared) => addProject(declared.option('--json', 'one object per line')),
  async run({ cwd, json }: Options) {
    await using klaus = await openKlaus({ cwd });
    const agents = klaus.agents();
    const [{ agents: found, broken }, uses] = await Promise.all([agents.list(), klaus.store.agentUses()]);
    const rows = found.map((agent) => toRow(agents, agent, uses));
    printRows(rows, {
      json,
      head: ['NAME', 'LAST USE', 'REQUESTS', 'FROM', 'DESCRIPTION'],
      toRow: (row) => [
        row.name,
        row.lastUse?.slice(0, 16).replace('T', ' ') ?? 'never',
        `${toRequests(row)}${row.trusted ? '' : ' (not trusted)'}`,
        toPlace(row.file, agents.workspace),
        row.description,
      ],
      empty: 'There are no agents. `klaus agents new` creates one.',
    });
    for (const { error } of broken) err.write(`${error.message}\n`);
    for (const { definition, file } of found) {
      try {
        agents.grantOf(definition);
      } catch (error) {
        if (!isKlausError(error)) throw error;
        err.write(`${file}:1: ${error.message}\n`);
      }
    }
  },
};

function toRow(agents: Agents, found: FoundAgent, uses: ReadonlyMap<string, string>) {
  const { name, definition, file, hides } = found;
  return {
    name,
    trusted: isTrusted(agents, found),
    description: definition.description,
    capabilities: definition.capabilities ?? [],
    lastUse: toLastUse({ ...definition, name }, uses),
    file,
    hides,
    grants: definition.grants ?? [],
    tools: definition.tools ?? null,
  };
}

/** False for an agent of the project whose authority the user has not agreed to. */
function isTrusted(agents: Agents, found: FoundAgent): boolean {
  try {
    return agents.untrusted(found).length === 0;
  } catch (error) {
    if (!isKlausError(error)) throw error;
    return found.isTrusted;
  }
}

/** In a few words; `klaus agents grants` describes it. */
function toRequests({ capabilities, grants, tools }: Requests): string {
  const requested = [
    ...capabilities,
    ...(grants.length > 0 ? ['own grants'] : []),
    ...(tools !== null ? ['named tools'] : []),
  ];
  return requested.length === 0 ? 'chat only' : requested.join(', ');
}

/** Relative to the workspace, or with `~` for the home folder. */
function toPlace(file: string, workspace: string): string {
  return file.startsWith(`${workspace}/`) ? file.slice(workspace.length + 1) : toShortPath(file);
}
