import { findAddresses, findNetworkNeed, shorten, toAddress, toGrantText, type Redactor } from '../../policy/index.ts';
import type { ToolFinished } from '../calls/judged-call.ts';
import type { Access, Effect } from '../../protocol/index.ts';
import { z } from 'zod';
import { AGENT_CALL_KINDS, type AgentCall, type AgentCallKind } from '../ports/runner.ts';
import type { ChildPlan } from '../ports/children.ts';
import type { Intent, Tool } from '../ports/tool.ts';

const PREFIX = 'agent_';
/** Maximum addresses of a result that later calls may request. */
const MAX_LINKS = 500;

/** What calls of a kind do, and the tool of Klaus with the same effects, which the grant must allow. */
const KINDS: Readonly<Record<AgentCallKind, { effects: readonly Effect[]; like?: string }>> = {
  read: { effects: ['read'], like: 'read_file' },
  search: { effects: ['read'], like: 'search_files' },
  think: { effects: [] },
  edit: { effects: ['write'], like: 'edit_file' },
  delete: { effects: ['write'], like: 'delete_file' },
  move: { effects: ['write'], like: 'edit_file' },
  execute: { effects: ['execute'], like: 'run_command' },
  fetch: { effects: ['network'] },
  delegate: { effects: ['spawn'], like: 'spawn_agent' },
  other: { effects: ['write', 'execute', 'network'] },
};

/** Name in the log of a call that an agent makes by itself. */
export function toAgentToolName(kind: AgentCallKind): string {
  return `${PREFIX}${kind}`;
}

/** Effects of such a call by its name in the log; undefined for any other name. */
export function effectsOfAgentTool(name: string): readonly Effect[] | undefined {
  const kind = AGENT_CALL_KINDS.find((each) => toAgentToolName(each) === name);
  return kind && KINDS[kind].effects;
}

/** The call as a tool, so that the gate judges it like any other. It is never run by Klaus. */
export function toAgentTool(
  call: AgentCall,
  { workspace, plan }: { workspace: string; plan: (agent: string) => ChildPlan },
): Tool<unknown> {
  const { effects, like } = KINDS[call.kind];
  return {
    name: toAgentToolName(call.kind),
    description: '',
    input: z.unknown(),
    effects,
    resume: 'tell',
    like,
    prepare: async () => ({ ...toIntent(call, workspace), ...toDelegation(call, plan) }),
    run: () => Promise.reject(new Error('a call of an agent is not run by the engine')),
  };
}

/** The child session of a call that starts an agent. */
function toDelegation(
  { kind, agent = 'agent' }: AgentCall,
  plan: (agent: string) => ChildPlan,
): Pick<Intent, 'child' | 'delegates'> {
  if (kind !== 'delegate') return {};
  const child = plan(agent);
  return { child, delegates: { agent, grant: child.wanted, text: toGrantText(child.wanted) } };
}

function toIntent(call: AgentCall, workspace: string): Intent {
  const { kind, title, command, diff } = call;
  // A command that is not reported cannot be judged, so that the user decides.
  const unclear = (kind === 'execute' && command === undefined) || kind === 'other' ? title : undefined;
  return {
    title,
    access: toAccess(call, workspace),
    ...toSent(call),
    command,
    diff,
    unclear,
  };
}

function toSent({ kind, sends }: AgentCall): Pick<Intent, 'fetches' | 'searches'> {
  if (kind !== 'fetch' || !sends) return {};
  if ('searches' in sends) return sends;
  const fetches = toAddress(sends.fetches);
  return fetches === undefined ? {} : { fetches };
}

/**
 * Marks the result of a call with text of others, which can contain instructions: of the web, of a tool that Klaus does
 * not know, such as one of an MCP server, and of a command that uses the network of the program.
 *
 * @param at.hasNetwork True: the process of the agent has the network.
 */
export function toForeignResult(
  { kind, url = 'the web', title, command }: AgentCall,
  output: string,
  at: { redactor: Pick<Redactor, 'redact'>; workspace: string; hasNetwork: boolean },
): Pick<ToolFinished, 'untrusted'> {
  const { redactor, workspace, hasNetwork } = at;
  if (kind === 'fetch')
    return {
      untrusted: { source: redactor.redact(url), addresses: findAddresses(output).slice(0, MAX_LINKS), isWeb: true },
    };
  const reaches =
    kind === 'other' ||
    (kind === 'execute' &&
      hasNetwork &&
      (command === undefined || findNetworkNeed(command, { workspace }) !== undefined));
  return reaches ? { untrusted: { source: redactor.redact(shorten(title)) } } : {};
}

function toAccess({ kind, paths, command, url }: AgentCall, workspace: string): Access[] {
  const right = KINDS[kind].effects.includes('write') ? 'w' : 'r';
  const files = (given: readonly string[]): Access[] => given.map((path) => ({ kind: 'fs', path, right }));
  switch (kind) {
    case 'execute':
      return command === undefined ? [] : [{ kind: 'exec', command }];
    case 'fetch':
      return [toNetwork(url)];
    case 'think':
    case 'delegate':
      return [];
    default:
      // Without a path it can be any file of the workspace.
      return files(paths.length > 0 ? paths : [workspace]);
  }
}

const URL_PARTS = /^(https?):\/\/(?:[^/@]*@)?(\[[0-9a-f:.]+\]|[^/:?#]+)(?::(\d+))?/i;

/** Any host, if the address is not known. */
function toNetwork(url: string | undefined): Access {
  const found = url === undefined ? null : URL_PARTS.exec(url);
  if (!found) return { kind: 'net', host: '*', port: 0 };
  const [, scheme, host, port] = found;
  const usual = scheme!.toLowerCase() === 'http' ? 80 : 443;
  return { kind: 'net', host: host!.toLowerCase().replace(/^\[|\]$/g, ''), port: port ? Number(port) : usual };
}

/** What a call contains, for the log. */
export function toInput({ title, kind, paths, command, url, input }: AgentCall): unknown {
  const known = Object.entries({ title, kind, paths, command, url }).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return { ...Object.fromEntries(known), ...(input === undefined ? {} : { input }) };
}
