import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { toToolName } from '../tool-name.ts';
import type { ToolProblem } from './repair-tools.ts';

/** Tools of one server; further ones are left out. */
const MAX_TOOLS = 1_000;
/** Characters of an input schema. A tool with a longer one is left out. */
const MAX_SCHEMA = 65_536;

/** The tools of a server that sessions can call, by different names. */
export function selectTools(
  server: string,
  given: readonly ServerTool[],
): { tools: ServerTool[]; problems: ToolProblem[] } {
  const tools = new Map<string, ServerTool>();
  const problems: ToolProblem[] = [];
  for (const tool of given) {
    const name = toToolName(server, tool.name);
    const problem = tools.has(name)
      ? 'has the name of another tool'
      : tools.size >= MAX_TOOLS
        ? `is after the first ${MAX_TOOLS} tools`
        : JSON.stringify(tool.inputSchema).length > MAX_SCHEMA
          ? `has an input schema of more than ${MAX_SCHEMA} characters`
          : undefined;
    if (problem === undefined) tools.set(name, tool);
    else problems.push({ tool: tool.name, problem, isLost: true });
  }
  return { tools: [...tools.values()], problems };
}
