import type { Access, Effect } from '../../protocol/index.ts';
import { z } from 'zod';
import { AGENT_CALL_KINDS, type AgentCall, type AgentCallKind } from '../ports/runner.ts';
import type { Intent, Tool } from '../ports/tool.ts';

const PREFIX = 'agent_';

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
export function toAgentTool(call: AgentCall, workspace: string): Tool<unknown> {
  const { effects, like } = KINDS[call.kind];
  return {
    name: toAgentToolName(call.kind),
    description: '',
    input: z.unknown(),
    effects,
    resume: 'tell',
    ...(like === undefined ? {} : { like }),
    prepare: async () => toIntent(call, workspace),
    run: () => Promise.reject(new Error('a call of an agent is not run by the engine')),
  };
}

function toIntent(call: AgentCall, workspace: string): Intent {
  const { kind, title, command, diff } = call;
  // A command that is not reported cannot be judged, so that the user decides.
  const unclear = (kind === 'execute' && command === undefined) || kind === 'other' ? title : undefined;
  return {
    title,
    access: toAccess(call, workspace),
    ...(command === undefined ? {} : { command }),
    ...(diff === undefined ? {} : { diff }),
    ...(unclear === undefined ? {} : { unclear }),
  };
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

/** The arguments of such a call in the log. */
export function toInput({ title, kind, paths, command, url, input }: AgentCall): unknown {
  const known = Object.entries({ title, kind, paths, command, url }).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return { ...Object.fromEntries(known), ...(input === undefined ? {} : { input }) };
}
