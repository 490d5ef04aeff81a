import type { FoundAgent } from '@klaus/core/agent';
import { describeGrant, heldBy, isCovered, toGrant, toGrantText } from '@klaus/core/policy';
import type { AgentDefinition, Authority, Grant } from '@klaus/core/protocol';
import { TIERS } from '@klaus/core/provider-table';
import { isTrusted, trustEntry } from '../mcp/mcp-files.ts';
import { toMcpPlace } from '../mcp/session-servers.ts';

/** Authorities of these kinds only limit the session. */
const LIMITS: ReadonlySet<Authority['kind']> = new Set(['spend', 'turns', 'model']);

/** Which definitions of a project the user trusts, in the store of the trusted MCP servers. */
export interface AgentTrust {
  isTrusted: (name: string, hash: string) => boolean;
  add(name: string, hash: string): void;
  /** What a definition asks for beyond reading and editing the workspace, in plain words. Empty if it is trusted. */
  findRest(found: FoundAgent, given: { grant: Grant; hasModel: boolean; hasFallback: boolean }): string[];
}

/**
 * @param at.workspace Absolute real path. @param at.home `KLAUS_HOME`.
 * @param at.model The model that the user configured. @param at.now Unix milliseconds.
 */
export function createAgentTrust({
  workspace,
  home,
  model,
  now,
}: {
  workspace: string;
  home: string;
  model: () => string;
  now: () => number;
}): AgentTrust {
  const place = toMcpPlace(home, workspace);
  const toKey = (name: string): string => `agent ${name}`;
  return {
    isTrusted: (name, hash) => isTrusted(place, toKey(name), { definition: hash }),
    add: (name, hash) => trustEntry(place, toKey(name), { definition: hash }),
    findRest({ from, isTrusted: trusted, definition }, { grant, hasModel, hasFallback }) {
      if (from === 'user' || trusted) return [];
      return [
        ...describeRest(grant, { workspace, now: now() }),
        ...describePrograms(definition),
        ...(hasModel ? [] : describeModel(definition.model ?? definition.config?.model, model())),
        ...(hasFallback ? [] : (definition.fallback ?? []).flatMap((name) => describeModel(name, model()))),
      ];
    },
  };
}

/** The lines of a grant that are not those of its part that only reads and edits the workspace. */
function describeRest(grant: Grant, at: { workspace: string; now: number }): string[] {
  const files: Authority = { kind: 'fs', path: at.workspace, rights: 'rw' };
  const isTool = (one: Authority): boolean => one.kind === 'tool' && !one.name.startsWith('mcp__');
  const isHarmless = (one: Authority): boolean =>
    LIMITS.has(one.kind) || isTool(one) || isCovered(toGrant([one]), toGrant([files]));
  const { authorities } = toGrant(heldBy(grant));
  const { delegable = [] } = grant;
  const rest = toGrant(authorities.filter((one) => !isHarmless(one)));
  if (rest.authorities.length === 0 && delegable.every(isHarmless)) return [];
  const toLines = (part: Grant): string[] =>
    describeGrant(part, at).flatMap(({ allows, text }) => (allows ? [text] : []));
  const known = new Set(toLines(toGrant(authorities.filter(isHarmless))));
  const lines = toLines(grant).filter((line) => !known.has(line));
  return lines.length > 0 ? lines : [toGrantText(rest)];
}

/** Programs of the machine that a session of it starts. */
function describePrograms({ runner, command, env = [], home, mcpServers = [] }: AgentDefinition): string[] {
  return [
    ...(runner === undefined ? [] : [`Is driven by the program ${command ? JSON.stringify(command) : runner}`]),
    ...(env.length === 0 ? [] : [`Gets the variables ${env.join(', ')}`]),
    ...(home === undefined ? [] : [`Copies the folder ${home}`]),
    ...(mcpServers.length === 0 ? [] : [`Uses the MCP servers ${mcpServers.join(', ')}`]),
  ];
}

/** The provider of the model reads the code, so that a project only chooses a tier, if the user has chosen one. */
function describeModel(asked: string | undefined, configured: string): string[] {
  const isTier = (name: string): boolean => (TIERS as readonly string[]).includes(name);
  if (asked === undefined || (isTier(asked) && isTier(configured))) return [];
  return [`Sends what it reads to the model ${asked}`];
}
