import {
  hunkAnswerSchema,
  limitsSchema,
  modeSchema,
  onAskSchema,
  sandboxNameSchema,
  scopeSchema,
} from '@klaus/core/protocol';
import { z } from 'zod';
import { defineRoute, type Route } from './route.ts';
import { sessionRoutes } from './session-routes.ts';
import { budgetRowSchema } from './session-view.ts';
import {
  approvalDetailSchema,
  approvalViewSchema,
  fileContentSchema,
  fileEntrySchema,
  modelViewSchema,
  reservedRequestSchema,
  runViewSchema,
  rememberedViewSchema,
  searchHitSchema,
  usageRowSchema,
} from './shapes.ts';
import { hostStreamSchema, promptStreamSchema } from './stream.ts';

const signIn = {
  health: defineRoute({
    method: 'GET',
    path: '/health',
    summary: 'Says that the server lives. The only route without a token.',
    tag: 'server',
    open: true,
    answer: z.object({
      status: z.literal('ok'),
      version: z.string(),
      api: z.int().describe('Raised when a route or an event means something else than before.'),
    }),
  }),
  signIn: defineRoute({
    method: 'POST',
    path: '/api/sign-in',
    summary: 'Trades the token for a cookie: event streams and sockets of a browser cannot send headers.',
    tag: 'server',
    open: true,
    body: z.object({ token: z.string().min(1).max(1_000) }),
    answer: z.object({ signedIn: z.literal(true) }),
  }),
  signOut: defineRoute({
    method: 'POST',
    path: '/api/sign-out',
    summary: 'Takes the cookie back.',
    tag: 'server',
    answer: z.object({ signedIn: z.literal(false) }),
  }),
  settings: defineRoute({
    method: 'GET',
    path: '/api/settings',
    summary: 'What a page needs to know of the server.',
    tag: 'server',
    answer: z.object({
      version: z.string(),
      workspace: z.string().describe('Where a run begins that names none.'),
      model: z.string().describe('As it is configured: a full name or a tier.'),
      mode: modeSchema,
      onAsk: onAskSchema.nullable().describe('What becomes of a question. Null: nothing is configured.'),
      sandbox: sandboxNameSchema.nullable().describe('Null: the best one that works.'),
      isolate: z.boolean(),
      limits: limitsSchema,
      maxPromptChars: z.int().describe('A longer prompt is attached as a file.'),
      maxBodyBytes: z.int(),
      maxConcurrent: z.int().describe('Runs at work at the same time; the others wait.'),
      deleteUndoMs: z.int().describe('For how long a delete can be taken back.'),
    }),
  }),
  configuration: defineRoute({
    method: 'GET',
    path: '/api/configuration',
    summary: 'Every setting with its value and where that came from; secrets only as set.',
    tag: 'server',
    answer: z.object({
      settings: z.array(
        z.object({
          key: z.string(),
          value: z.string(),
          source: z.string(),
          where: z.string().optional(),
          env: z.string().optional(),
          description: z.string(),
        }),
      ),
    }),
  }),
  metrics: defineRoute({
    method: 'GET',
    path: '/metrics',
    summary: 'Figures in the text format of Prometheus; 404 where AGENT_METRICS_ENABLED is false.',
    tag: 'server',
    kind: 'text',
    answer: z.string(),
  }),
  openapi: defineRoute({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This description as OpenAPI 3.1.',
    tag: 'server',
    answer: z.record(z.string(), z.unknown()),
  }),
  events: defineRoute({
    method: 'GET',
    path: '/api/events',
    summary: 'All sessions, live: a snapshot first, then each change.',
    tag: 'server',
    kind: 'stream',
    answer: hostStreamSchema,
  }),
};

const runs = {
  prompt: defineRoute({
    method: 'POST',
    path: '/api/prompt',
    summary: 'Begins a run and streams it under the event names of the older protocol. Leaving cancels nothing.',
    tag: 'runs',
    kind: 'stream',
    body: z.object({
      message: z.string().min(1),
      sessionId: z.string().optional(),
      model: z.string().optional(),
      workspace: z.string().optional(),
    }),
    answer: promptStreamSchema,
  }),
  runs: defineRoute({
    method: 'GET',
    path: '/api/runs',
    summary: 'What this server works on, and what waits for its turn.',
    tag: 'runs',
    answer: z.object({ running: z.array(runViewSchema), queued: z.array(runViewSchema), limit: z.int() }),
  }),
  agents: defineRoute({
    method: 'GET',
    path: '/api/agents',
    summary: 'The agents that can be talked to.',
    tag: 'runs',
    answer: z.object({ agents: z.array(z.object({ name: z.string(), description: z.string() })) }),
  }),
  models: defineRoute({
    method: 'GET',
    path: '/api/models',
    summary: 'The models that may be asked for, with their prices.',
    tag: 'runs',
    answer: z.object({ models: z.array(modelViewSchema), asOf: z.string().describe('Date of the prices.') }),
  }),
  usage: defineRoute({
    method: 'GET',
    path: '/api/usage',
    summary: 'What requests to models cost.',
    tag: 'runs',
    query: z.object({
      by: z.enum(['day', 'model', 'session', 'agent']).default('day'),
      session: z.string().optional().describe('Of this session and those that it began.'),
      since: z.coerce.number().min(0).max(8.64e15).optional().describe('Unix milliseconds.'),
    }),
    answer: z.object({
      by: z.enum(['day', 'model', 'session', 'agent']),
      rows: z.array(usageRowSchema),
      reserved: z.array(reservedRequestSchema).describe('Requests whose end is not known.'),
      budget: z.array(budgetRowSchema).optional().describe('Of the session that was asked about.'),
    }),
  }),
  search: defineRoute({
    method: 'GET',
    path: '/api/search',
    summary: 'Finds words in the messages of all sessions.',
    tag: 'sessions',
    query: z.object({ q: z.string().min(1).max(500), limit: z.coerce.number().int().min(1).max(200).default(50) }),
    answer: z.object({ hits: z.array(searchHitSchema) }),
  }),
};

const approvals = {
  approvals: defineRoute({
    method: 'GET',
    path: '/api/approvals',
    summary: 'The open questions of all sessions, the oldest first.',
    tag: 'approvals',
    query: z.object({ session: z.string().optional() }),
    answer: z.object({ approvals: z.array(approvalViewSchema) }),
  }),
  approval: defineRoute({
    method: 'GET',
    path: '/api/approvals/:id',
    summary: 'A whole question with its hunks.',
    tag: 'approvals',
    params: z.object({ id: z.string() }),
    answer: approvalDetailSchema,
  }),
  answer: defineRoute({
    method: 'POST',
    path: '/api/approvals/:id',
    summary: 'Answers a question, whole or hunk by hunk. The session goes on.',
    tag: 'approvals',
    params: z.object({ id: z.string() }),
    body: z.object({
      answer: z.enum(['approved', 'rejected']),
      note: z.string().max(20_000).optional().describe('A reason that the model is told.'),
      hunks: hunkAnswerSchema.optional().describe('Absent: the whole change.'),
      scope: scopeSchema.optional().describe('How long a yes holds. Default `once`.'),
    }),
    status: 202,
    answer: z.object({ session: z.string() }),
  }),
  remembered: defineRoute({
    method: 'GET',
    path: '/api/remembered',
    summary: 'The approvals that hold for longer than their session, the newest last.',
    tag: 'approvals',
    answer: z.object({ remembered: z.array(rememberedViewSchema) }),
  }),
  forgetRemembered: defineRoute({
    method: 'DELETE',
    path: '/api/remembered/:id',
    summary: 'Takes such an approval back: it is asked again.',
    tag: 'approvals',
    params: z.object({ id: z.string().describe('Of the approval.') }),
    answer: z.object({ approval: z.string() }),
  }),
};

const place = {
  session: z.string().optional().describe('The workspace of this session.'),
  workspace: z.string().optional().describe('A registered workspace. Neither: the configured one.'),
};

const files = {
  workspaces: defineRoute({
    method: 'GET',
    path: '/api/workspaces',
    summary: 'The folders that sessions worked in, the latest first, and the configured one.',
    tag: 'files',
    answer: z.object({ workspaces: z.array(z.object({ path: z.string(), sessions: z.int(), exists: z.boolean() })) }),
  }),
  files: defineRoute({
    method: 'GET',
    path: '/api/files',
    summary: 'One folder of a workspace.',
    tag: 'files',
    query: z.object({ ...place, path: z.string().default('').describe('Folder, relative. Default: the workspace.') }),
    answer: z.object({ root: z.string(), path: z.string(), entries: z.array(fileEntrySchema) }),
  }),
  findFiles: defineRoute({
    method: 'GET',
    path: '/api/find-files',
    summary: 'Paths of a workspace that hold some characters, for completion. What git ignores is left out.',
    tag: 'files',
    query: z.object({
      ...place,
      q: z.string().default(''),
      limit: z.coerce.number().int().min(1).max(200).default(30),
    }),
    answer: z.object({ paths: z.array(z.string()) }),
  }),
  file: defineRoute({
    method: 'GET',
    path: '/api/files/*',
    summary: 'The content of one file, at most 2 MB of it.',
    tag: 'files',
    params: z.object({ path: z.string() }),
    query: z.object(place),
    answer: fileContentSchema,
  }),
};

/** Every route of the server by the name that the client calls it. */
export const ROUTES = { ...signIn, ...runs, ...sessionRoutes, ...approvals, ...files } as const satisfies Record<
  string,
  Route
>;

export type RouteName = keyof typeof ROUTES;
export type RouteOf<N extends RouteName> = (typeof ROUTES)[N];
