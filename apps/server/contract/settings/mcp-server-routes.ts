import { z } from 'zod';
import { defineRoute } from '../route.ts';

const mcpLoginSchema = z.object({
  state: z.enum(['waiting', 'done', 'failed']),
  url: z.string().nullable().describe('The address to open in a browser.'),
  message: z.string().nullable().describe('Why it failed.'),
});
export type McpLoginView = z.infer<typeof mcpLoginSchema>;

const mcpServerSchema = z.object({
  name: z.string(),
  from: z.enum(['project', 'user']).describe('`.mcp.json` of the folder, or `mcp.json` of the state folder.'),
  kind: z.enum(['program', 'address']),
  place: z.string().describe('The command with its arguments, or the address; without what looks like a secret.'),
  values: z
    .array(z.object({ name: z.string(), value: z.string().nullable().describe('Null: it can be secret.') }))
    .describe('Variables of the program, or headers.'),
  variables: z.array(z.string()).describe('Names of variables of the user of the server that it gets.'),
  hash: z.string().describe('Of the entry. Trust is bound to it.'),
  grant: z.string().nullable().describe('Host and port that the default grant of a session has for it.'),
  isTrusted: z.boolean().describe('False: sessions do not use it before the user trusts it.'),
  isAccepted: z.boolean().describe('True if the descriptions of its tools were accepted.'),
  isHidden: z.boolean().describe('True if the folder has a server of the same name, which is used instead.'),
  isLoggedIn: z.boolean().nullable().describe('Null: a program, or an entry that cannot be used.'),
  login: mcpLoginSchema.nullable().describe('The latest login since the start of the server.'),
  problem: z.string().nullable().describe('Why its entry cannot be used, such as a variable that is not set.'),
});
export type McpServerView = z.infer<typeof mcpServerSchema>;

const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  reads: z.boolean().describe('True if the server says that it only reads.'),
});

const mcpTestSchema = z.object({
  server: z.string().describe('Name and version that it reported.'),
  protocol: z.string(),
  tools: z.array(toolSchema),
  problems: z.array(
    z.object({ tool: z.string(), problem: z.string(), isLost: z.boolean().describe('True if it cannot be used.') }),
  ),
  warning: z.string().describe('About patterns that are not checked; empty if there are none.'),
  prompts: z.int(),
  resources: z.int(),
});
export type McpTestView = z.infer<typeof mcpTestSchema>;

const mcpReviewSchema = z.object({
  review: z.string().describe('With it, exactly these descriptions are accepted, once.'),
  server: z.string(),
  tools: z.array(toolSchema),
  changed: z.array(z.string()).describe('Tools that were added or changed since the user accepted them.'),
  diff: z.string().nullable().describe('The changes. Null: none was accepted before.'),
  reading: z.array(z.string()).describe('Tools that the user has marked as ones that only read.'),
  warning: z.string(),
});
export type McpReviewView = z.infer<typeof mcpReviewSchema>;

const params = z.object({ name: z.string() });
const query = z.object({
  workspace: z.string().optional().describe('A known workspace. Default: the configured one.'),
});
const pairs = z.record(z.string().min(1).max(200), z.string().max(8_192)).optional();

/** Routes about the MCP servers that sessions use. All need an administrator who may see all projects. */
export const mcpServerRoutes = {
  mcpServers: defineRoute('MCP servers', 'GET /api/mcp-servers', {
    summary: 'The MCP servers of a folder and of the user. Starts none; secrets are never part of an answer.',
    role: 'admin',
    query,
    answer: z.object({ servers: z.array(mcpServerSchema) }),
  }),
  addMcpServer: defineRoute('MCP servers', 'POST /api/mcp-servers', {
    summary: 'Adds an MCP server, as `klaus mcp add` does. One of the folder is trusted with it.',
    role: 'admin',
    query,
    body: z.object({
      name: z.string().min(1).max(48),
      from: z.enum(['project', 'user']),
      server: z.union([
        z.strictObject({
          command: z.string().min(1).max(4_096),
          args: z.array(z.string().max(8_192)).max(200).default([]),
          env: pairs,
        }),
        z.strictObject({
          type: z.enum(['http', 'sse']).default('http'),
          url: z.string().min(1).max(8_192),
          headers: pairs,
        }),
      ]),
    }),
    answer: z.object({ file: z.string() }),
  }),
  removeMcpServer: defineRoute('MCP servers', 'DELETE /api/mcp-servers/:name', {
    summary: 'Removes an MCP server.',
    role: 'admin',
    params,
    query,
    answer: z.object({ file: z.string() }),
  }),
  testMcpServer: defineRoute('MCP servers', 'POST /api/mcp-servers/:name/test', {
    summary: 'Starts or reaches an MCP server and lists what it has. Calls nothing.',
    role: 'admin',
    params,
    query,
    answer: mcpTestSchema,
  }),
  trustMcpServer: defineRoute('MCP servers', 'POST /api/mcp-servers/:name/trust', {
    summary: 'Lets sessions use an MCP server of a folder as long as its entry stays the same. 409 for another entry.',
    role: 'admin',
    params,
    query,
    body: z.object({ hash: z.string().describe('Of the entry that the user has seen.') }),
    answer: z.object({ isTrusted: z.literal(true) }),
  }),
  reviewMcpServer: defineRoute('MCP servers', 'POST /api/mcp-servers/:name/review', {
    summary: 'Starts or reaches an MCP server and compares its descriptions with the accepted ones.',
    role: 'admin',
    params,
    query,
    answer: mcpReviewSchema,
  }),
  acceptMcpServer: defineRoute('MCP servers', 'POST /api/mcp-servers/:name/accept', {
    summary: 'Accepts the descriptions of a review. Sessions leave out tools that change after that.',
    role: 'admin',
    params,
    query,
    body: z.object({
      review: z.string(),
      reading: z.array(z.string()).max(10_000).optional().describe('Tools that only read. Default: as before.'),
    }),
    answer: z.object({ accepted: z.int().describe('Number of tools.') }),
  }),
  mcpLogin: defineRoute('MCP servers', 'GET /api/mcp-servers/:name/login', {
    summary: 'The latest login to an MCP server.',
    role: 'admin',
    params,
    query,
    answer: z.object({ login: mcpLoginSchema.nullable() }),
  }),
  startMcpLogin: defineRoute('MCP servers', 'POST /api/mcp-servers/:name/login', {
    summary:
      'Starts a login, as `klaus mcp login` does. The browser is sent back to a port of the machine of the server.',
    role: 'admin',
    params,
    query,
    answer: mcpLoginSchema,
  }),
  answerMcpLogin: defineRoute('MCP servers', 'PUT /api/mcp-servers/:name/login', {
    summary: 'Ends a login with the address to which a browser on another machine was sent back.',
    role: 'admin',
    params,
    query,
    body: z.object({ address: z.string().min(1).max(8_192) }),
    answer: mcpLoginSchema,
  }),
  cancelMcpLogin: defineRoute('MCP servers', 'DELETE /api/mcp-servers/:name/login', {
    summary: 'Cancels a login in progress.',
    role: 'admin',
    params,
    query,
    answer: z.object({}),
  }),
};
