import {
  hunkAnswerSchema,
  inputContentSchema,
  limitsSchema,
  mcpPromptCommandSchema,
  modeSchema,
  onAskSchema,
  sandboxNameSchema,
  scopeSchema,
} from '@klaus/core/protocol';
import { z } from 'zod';
import { defineRoute, type Route } from './route.ts';
import { agentRoutes } from './agent-routes.ts';
import { attentionRoutes } from './attention-routes.ts';
import { changeRoutes } from './change-routes.ts';
import { contextRoutes } from './context-routes.ts';
import { commitRoutes } from './commit-routes.ts';
import { contentRoutes } from './content-routes.ts';
import { copyRoutes } from './copy-routes.ts';
import { demoRoutes } from './settings/demo-routes.ts';
import { guardRoutes } from './guard-routes.ts';
import { hookRoutes } from './hook-routes.ts';
import { projectRoutes } from './project-routes.ts';
import { keyRoutes } from './settings/key-routes.ts';
import { mcpServerRoutes } from './settings/mcp-server-routes.ts';
import { memoryRoutes } from './settings/memory-routes.ts';
import { modelServerRoutes } from './settings/model-server-routes.ts';
import { sessionParams, workspaceQuery } from './route-fields.ts';
import { promptRoutes } from './prompt-routes.ts';
import { runRoutes } from './run-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { settingRoutes } from './settings/setting-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { budgetRowSchema } from './session-view.ts';
import {
  approvalDetailSchema,
  approvalViewSchema,
  fileContentSchema,
  fileEntrySchema,
  givenApprovalSchema,
  modelViewSchema,
  reservedRequestSchema,
  runViewSchema,
  rememberedViewSchema,
  searchHitSchema,
  USAGE_GROUPS,
  usageRowSchema,
} from './shapes.ts';
import { hostStreamSchema, promptStreamSchema } from './stream.ts';

/**
 * The version of the API in `/health`. A change of a route or an event raises it, an addition does not. Clients refuse to
 * use a server of another version.
 */
export const API_VERSION = 2;

const server = {
  health: defineRoute('server', 'GET /health', {
    summary: 'Reports that the server is running. Needs no token.',
    open: true,
    answer: z.object({
      status: z.literal('ok'),
      version: z.string(),
      api: z.int().describe('Version of the API. A change of a route or an event raises it, an addition does not.'),
    }),
  }),
  settings: defineRoute('server', 'GET /api/settings', {
    projects: 'checked',
    summary: 'Settings of the server, or of a workspace.',
    query: z.object({ workspace: z.string().optional().describe('With the settings of its project.') }),
    answer: z.object({
      version: z.string(),
      workspace: z.string().describe('The default workspace.'),
      model: z.string().describe('As configured: a full name or a tier.'),
      mode: modeSchema.describe('The mode with which a new session of the sender begins.'),
      modeChosenAt: z
        .number()
        .nullable()
        .describe('When the sender chose it, in Unix milliseconds. Null: it is that of the settings.'),
      onAsk: onAskSchema.nullable().describe('How calls that need an approval are handled. Null: not configured.'),
      sandbox: sandboxNameSchema.nullable().describe('Null: the best available one.'),
      isolate: z.boolean(),
      limits: limitsSchema,
      maxPromptChars: z.int().describe('A longer prompt is attached as a file.'),
      maxBodyBytes: z.int(),
      maxConcurrent: z
        .int()
        .describe('Most runs at the same time; others are queued. 0: workers of a cluster run them.'),
      canMoveQueued: z.boolean().describe('False: the workers of a cluster decide in which order sessions run.'),
      deleteUndoMs: z.int().describe('Milliseconds for which a delete can be undone.'),
      monthlyUsd: z.number().describe('Planned cost of a month in US dollars. 0: no plan.'),
      hasDemo: z.boolean().describe('True if `POST /api/demo` opens a demo.'),
      hasSettings: z.boolean().describe('False: an administrator switched settings and keys off.'),
    }),
  }),
  chooseMode: defineRoute('server', 'PUT /api/mode', {
    projects: 'none',
    summary: 'Records the approval mode that the sender chose. New sessions of this person begin with it.',
    body: z.object({ mode: modeSchema }),
    answer: z.object({ mode: modeSchema.describe('The mode with which a new session begins now.') }),
  }),
  metrics: defineRoute('server', 'GET /metrics', {
    summary: 'Metrics in the text format of Prometheus; 404 if AGENT_METRICS_ENABLED is false.',
    kind: 'text',
    media: ['text/plain'],
    answer: z.string(),
  }),
  openapi: defineRoute('server', 'GET /api/openapi.json', {
    projects: 'none',
    summary: 'This description as OpenAPI 3.1.',
    answer: z.record(z.string(), z.unknown()),
  }),
  events: defineRoute('server', 'GET /api/events', {
    projects: 'checked',
    summary: 'Live list of sessions: a snapshot, then each change.',
    kind: 'stream',
    answer: hostStreamSchema,
  }),
};

const models = {
  prompt: defineRoute('runs', 'POST /api/prompt', {
    projects: 'checked',
    summary: 'Starts a run and streams it in the older protocol. A disconnect does not cancel it.',
    kind: 'stream',
    body: z.object({
      message: z.string().min(1),
      sessionId: z.string().optional(),
      model: z.string().optional(),
      workspace: z.string().optional(),
    }),
    answer: promptStreamSchema,
  }),
  runs: defineRoute('runs', 'GET /api/runs', {
    projects: 'checked',
    summary: 'Running and queued sessions of this server.',
    answer: z.object({ running: z.array(runViewSchema), queued: z.array(runViewSchema), limit: z.int() }),
  }),
  models: defineRoute('runs', 'GET /api/models', {
    projects: 'none',
    summary: 'The allowed models with their prices.',
    answer: z.object({ models: z.array(modelViewSchema), asOf: z.string().describe('Date of the prices.') }),
  }),
  usage: defineRoute('runs', 'GET /api/usage', {
    projects: 'checked',
    summary: 'Cost of requests to models, in the projects that the sender may see.',
    query: z.object({
      by: z.enum(USAGE_GROUPS).default('day'),
      session: z.string().optional().describe('Only this session and its children.'),
      since: z.coerce.number().min(0).max(8.64e15).optional().describe('Unix milliseconds.'),
    }),
    answer: z.object({
      by: z.enum(USAGE_GROUPS),
      rows: z.array(usageRowSchema),
      reserved: z.array(reservedRequestSchema).describe('Requests in progress, or with an unknown outcome.'),
      budget: z.array(budgetRowSchema).optional().describe('Of the requested session.'),
    }),
  }),
  search: defineRoute('sessions', 'GET /api/search', {
    projects: 'checked',
    summary: 'Searches the messages of all sessions.',
    query: z.object({ q: z.string().min(1).max(500), limit: z.coerce.number().int().min(1).max(200).default(50) }),
    answer: z.object({ hits: z.array(searchHitSchema) }),
  }),
};

const approvals = {
  approvals: defineRoute('approvals', 'GET /api/approvals', {
    projects: 'checked',
    summary: 'The open approvals of all sessions, the oldest first.',
    query: z.object({ session: z.string().optional() }),
    answer: z.object({ approvals: z.array(approvalViewSchema) }),
  }),
  approval: defineRoute('approvals', 'GET /api/approvals/:id', {
    projects: 'checked',
    summary: 'One approval with its hunks.',
    params: z.object({ id: z.string() }),
    answer: approvalDetailSchema,
  }),
  answer: defineRoute('approvals', 'POST /api/approvals/:id', {
    projects: 'checked',
    summary: 'Answers an approval, completely or by hunk. The session resumes.',
    params: z.object({ id: z.string() }),
    body: z.object({
      answer: z.enum(['approved', 'rejected']),
      note: z.string().max(20_000).optional().describe('A reason for the model.'),
      hunks: hunkAnswerSchema.optional().describe('Absent: the complete change.'),
      scope: scopeSchema.optional().describe('How long the approval is valid. Default `once`.'),
      plan: z
        .string()
        .max(200_000)
        .optional()
        .describe('For a plan: its text as the user edited it. Default: as it was presented.'),
      mode: modeSchema
        .exclude(['plan'])
        .optional()
        .describe('For a plan: the mode in which the session continues. Default: `edits` if it is in mode `plan`.'),
      content: inputContentSchema.optional().describe('For a question with fields: their values by name.'),
    }),
    status: 202,
    answer: z.object({ session: z.string() }),
  }),
  remembered: defineRoute('approvals', 'GET /api/remembered', {
    projects: 'checked',
    summary: 'The remembered approvals, the newest last.',
    answer: z.object({ remembered: z.array(rememberedViewSchema) }),
  }),
  givenApprovals: defineRoute('approvals', 'GET /api/sessions/:id/approvals', {
    summary: 'The given approvals of a session that can be remembered or revoked, the oldest first.',
    params: sessionParams,
    answer: z.object({ approvals: z.array(givenApprovalSchema) }),
  }),
  changeApproval: defineRoute('approvals', 'PATCH /api/sessions/:id/approvals/:approval', {
    summary: 'Changes how long a given approval applies: `once` revokes it, the others remember it.',
    params: sessionParams.extend({ approval: z.string().describe('Id of the approval or a prefix of it.') }),
    body: z.object({ scope: scopeSchema }),
    answer: z.object({
      approval: z.string().describe('Complete id.'),
      scope: scopeSchema,
      applied: z
        .boolean()
        .describe(
          'False: the process that holds the session applies it. A revocation is in force from the next call on.',
        ),
    }),
  }),
  forgetRemembered: defineRoute('approvals', 'DELETE /api/remembered/:id', {
    projects: 'checked',
    summary: 'Deletes a remembered approval: the call needs an approval again.',
    params: z.object({ id: z.string().describe('Id of the approval.') }),
    answer: z.object({ approval: z.string() }),
  }),
};

const files = {
  workspaces: defineRoute('files', 'GET /api/workspaces', {
    projects: 'checked',
    summary: 'The workspaces of sessions, the latest first, and the configured one.',
    answer: z.object({ workspaces: z.array(z.object({ path: z.string(), sessions: z.int(), exists: z.boolean() })) }),
  }),
  files: defineRoute('files', 'GET /api/files', {
    projects: 'checked',
    summary: 'The entries of a folder.',
    query: z.object({
      ...workspaceQuery,
      path: z.string().default('').describe('Relative path of the folder. Default: the workspace.'),
    }),
    answer: z.object({ root: z.string(), path: z.string(), entries: z.array(fileEntrySchema) }),
  }),
  findFiles: defineRoute('files', 'GET /api/find-files', {
    projects: 'checked',
    summary: 'Paths that match some characters, for completion. Excludes files that Git ignores.',
    query: z.object({
      ...workspaceQuery,
      q: z.string().default(''),
      limit: z.coerce.number().int().min(1).max(200).default(30),
    }),
    answer: z.object({ paths: z.array(z.string()) }),
  }),
  mcpPrompts: defineRoute('files', 'GET /api/mcp-prompts', {
    projects: 'checked',
    summary: 'The prompts of the MCP servers of a folder, as commands. Those of servers that were started before.',
    query: z.object({ ...workspaceQuery, workspace: z.string().optional().describe('Default: the configured one.') }),
    answer: z.object({ prompts: z.array(mcpPromptCommandSchema) }),
  }),
  file: defineRoute('files', 'GET /api/files/*', {
    projects: 'checked',
    summary: 'The content of a file, at most 2 MB.',
    params: z.object({ path: z.string() }),
    query: z.object(workspaceQuery),
    answer: fileContentSchema,
  }),
};

/** Every route of the server by the name of the client's method. */
export const ROUTES = {
  ...server,
  ...signInRoutes,
  ...models,
  ...sessionRoutes,
  ...hookRoutes,
  ...guardRoutes,
  ...keyRoutes,
  ...modelServerRoutes,
  ...mcpServerRoutes,
  ...memoryRoutes,
  ...demoRoutes,
  ...settingRoutes,
  ...attentionRoutes,
  ...runRoutes,
  ...changeRoutes,
  ...commitRoutes,
  ...copyRoutes,
  ...contextRoutes,
  ...agentRoutes,
  ...projectRoutes,
  ...promptRoutes,
  ...approvals,
  ...files,
  ...contentRoutes,
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;
export type RouteOf<N extends RouteName> = (typeof ROUTES)[N];
