import { toNearest } from '@klaus/sdk';
import { optional } from '@klaus/sdk/optional';
import { describeUnknownField } from '@klaus/sdk/verification';
import { VERSION } from '@klaus/sdk/version';
import { McpServer, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { openChain, type ChainOptions } from '../chain/chain.ts';
import { toStageFailure, type StageFailure } from '../chain/failure.ts';
import { listRepositories } from '../chain/list-repositories.ts';
import { listResultSchema, type Stage } from '../chain/result.ts';
import type { Roots } from './roots.ts';
import { CHAIN_TOOLS } from './tools.ts';

export interface ServerOptions {
  roots: Roots;
  engine: ChainOptions['engine'];
  /** Resolves when the state of the roots is known from which the server compares. Default: at once. */
  ready?: Promise<void>;
}

const INSTRUCTIONS =
  'Commit with the tool commit, not with git commit: it runs check and confirm first. Fix what a failed stage reports, then call it again. Do not work around a failed stage.';

/** One server for one connection or one request. It holds no state between calls. */
export function createServer({ roots, engine, ready }: ServerOptions): McpServer {
  const server = new McpServer(
    { name: 'klaus', title: 'Klaus', version: VERSION },
    { capabilities: { tools: {}, logging: {} }, instructions: INSTRUCTIONS },
  );
  for (const tool of CHAIN_TOOLS) {
    const { name, description, stage, annotations } = tool;
    server.registerTool(
      name,
      {
        title: annotations.title,
        description,
        inputSchema: toClosed(tool.input),
        outputSchema: tool.output,
        annotations,
      },
      (input: Record<string, unknown>, context: ServerContext) =>
        toResult(stage, async () => {
          const folder = roots.find(String(input['working_dir']));
          const report = createReport(context, name);
          await ready;
          await using chain = await openChain({ folder, engine, signal: context.mcpReq.signal, report });
          return await tool.run(chain, input);
        }),
    );
  }
  server.registerTool(
    'list_repos',
    {
      title: 'List repositories',
      description: 'List the Git repositories in which the other tools can work.',
      inputSchema: toClosed(z.object({ working_dir: z.string().min(1).optional().describe('Only in this folder.') })),
      outputSchema: listResultSchema,
      annotations: {
        title: 'List repositories',
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    ({ working_dir: given }) =>
      toResult('roots', async () => {
        const folders = given === undefined ? roots.folders : [roots.find(given)];
        const repositories = listRepositories(folders);
        const lines = repositories.map(({ path, branch }) => `${path} (${branch ?? 'no branch'})`);
        const message = lines.length === 0 ? 'There are no repositories.' : lines.join('\n');
        return { ok: true, message, roots: [...folders], repositories };
      }),
  );
  return server;
}

/** Refuses fields that the tool does not have, with the nearest name. */
function toClosed<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) {
  const known = Object.keys(shape);
  const describe = (path: string) =>
    describeUnknownField({ path, known, ...optional({ nearest: toNearest(path, known) }) });
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? issue.keys.map(describe).join(' ') : undefined),
  });
}

/** The steps of a call as progress, if the client asked for it, and as log messages. */
function createReport({ mcpReq }: ServerContext, logger: string): (text: string) => void {
  const token = mcpReq._meta?.progressToken;
  let progress = 0;
  const send = (sent: Promise<unknown>): void => void sent.catch(() => {});
  return (message) => {
    progress++;
    if (token !== undefined)
      send(mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress, message } }));
    // oxlint-disable-next-line typescript/no-deprecated -- 2025-11-25 has it, and clients of 2026-07-28 may ask for it.
    send(mcpReq.log('info', message, logger));
  };
}

async function toResult(stage: Stage, run: () => Promise<{ ok: boolean; message: string }>): Promise<CallToolResult> {
  try {
    const result = await run();
    return { content: [{ type: 'text', text: result.message }], structuredContent: result };
  } catch (error) {
    return toError(toStageFailure(stage, error));
  }
}

function toError({ stage, code, message, options }: StageFailure): CallToolResult {
  const { hint, checks, findings } = options;
  const structuredContent = {
    ok: false,
    stage,
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(checks === undefined ? {} : { checks: [...checks] }),
    ...(findings === undefined ? {} : { findings: [...findings] }),
  };
  const failed = (checks ?? []).filter(({ passed }) => !passed);
  const text = [
    `The stage ${stage} failed (${code}): ${message}`,
    ...failed.map(({ command, summary }) => `$ ${command}\n${summary}`),
    ...(findings ?? []).map((one) => `${one.file}:${one.line} ${one.severity}: ${one.text}`),
    ...(hint === undefined ? [] : [hint]),
  ].join('\n');
  return { content: [{ type: 'text', text }], structuredContent, isError: true };
}
