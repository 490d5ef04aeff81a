import { allowsAccess } from '../../policy/index.ts';
import type { Effect, EventBody } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import { type Tool } from '../ports/tool.ts';
import { isSessionTool, type SessionTools } from '../ports/session-tools.ts';
import { runAgentProcess } from '../runner/agent-process.ts';
import { openedOf } from '../state/state.ts';

/** Effects of a tool before its server has described it. Calls of such tools never run in parallel. */
const ALL: readonly Effect[] = ['read', 'write', 'execute', 'network'];

/** Beginning of the notices about the tools of servers. A replay recognizes them. */
const NOTICE = 'MCP tools: ';

export function toToolsNotice(text: string): EventBody {
  return { type: 'notice', level: 'warn', text: `${NOTICE}${text}` };
}

export function isToolsNotice(event: EventBody): boolean {
  return event.type === 'notice' && event.text.startsWith(NOTICE);
}

/** The effects of a tool by its name. Undefined: there is no such tool. Starts no server. */
export function effectsOf(
  { engine, state }: Pick<Work, 'engine' | 'state'>,
  name: string,
): readonly Effect[] | undefined {
  const known = engine.tools.find(name)?.effects;
  return known ?? (isSessionTool(name) && state.session?.mcpServers ? ALL : undefined);
}

/** The tool of a call. @throws KlausError `tool.unknown`. */
export async function findTool(work: Work, name: string): Promise<Tool<unknown>> {
  const tools = isSessionTool(name) && !work.engine.tools.find(name) ? openSessionTools(work) : undefined;
  return (await tools?.find(name, work.stop)) ?? work.engine.tools.get(name);
}

/** The tools of the MCP servers of the session; undefined if it has none. */
export function openSessionTools(work: Work): SessionTools | undefined {
  if (work.mcp.tools) return work.mcp.tools;
  const opened = openedOf(work.state);
  if ((opened.mcpServers ?? []).length === 0) return undefined;
  const tools = work.engine.openSessionTools?.(opened, {
    session: work.session,
    workspace: opened.workspace,
    isSandboxed: opened.sandbox === 'bubblewrap',
    isUnconfined: opened.sandbox === 'host',
    allows: (access) => allowsAccess(work.authority.grant(), access, work.engine.clock.now()),
    // Other sandboxes cannot show a part of the workspace, and would refuse the program.
    exec: (request, { writes }) =>
      runAgentProcess(work, request, { writes: writes || opened.sandbox !== 'bubblewrap' }),
    learn: (values) => work.redactor.learn(values),
  });
  if (tools) work.mcp.tools = tools;
  return tools;
}
