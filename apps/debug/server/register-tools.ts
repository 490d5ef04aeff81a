import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { DEBUG_TOOLS, IMPLEMENT_TOOLS } from '../contract/index.ts';
import type { DebugTools } from './debug-tools.ts';
import { ToolError } from './tool-error.ts';

type Contract = (typeof DEBUG_TOOLS & typeof IMPLEMENT_TOOLS)[keyof typeof DEBUG_TOOLS | keyof typeof IMPLEMENT_TOOLS];
type Run = (input: never) => Promise<object> | object;

/** Registers the tools of the contract. */
export function registerTools(server: McpServer, tools: DebugTools): void {
  const register = (name: string, contract: Contract, run: Run): void => {
    server.registerTool(
      name,
      {
        description: contract.description,
        inputSchema: contract.input as never,
        outputSchema: contract.output as never,
      },
      ((input: never) => toResult(() => run(input))) as never,
    );
  };
  register('eval', DEBUG_TOOLS.eval, tools.eval);
  register('frames', DEBUG_TOOLS.frames, tools.frames);
  register('locals', DEBUG_TOOLS.locals, tools.locals);
  register('source', DEBUG_TOOLS.source, tools.source);
  register('console', DEBUG_TOOLS.console, tools.console);
  register('report', DEBUG_TOOLS.report, tools.report);
  if (!tools.implement) return;
  register('set_result', IMPLEMENT_TOOLS.set_result, tools.implement.setResult);
  register('fail_implementation', IMPLEMENT_TOOLS.fail_implementation, tools.implement.fail);
}

async function toResult(run: () => Promise<object> | object): Promise<CallToolResult> {
  try {
    const output = await run();
    return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: { ...output } };
  } catch (error) {
    if (!(error instanceof ToolError)) return { content: [{ type: 'text', text: String(error) }], isError: true };
    const { message, output } = error;
    return {
      content: [{ type: 'text', text: output ? JSON.stringify(output) : message }],
      ...(output ? { structuredContent: { ...output } } : {}),
      isError: true,
    };
  }
}
