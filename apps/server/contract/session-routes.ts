import {
  effortSchema,
  fallbackSchema,
  limitsSchema,
  modeSchema,
  runnerNameSchema,
  sandboxNameSchema,
  temperatureSchema,
} from '@klaus/core/protocol';
import { z } from 'zod';
import { defineRoute } from './route.ts';
import { defineSessionRoute, promptFields, ulid } from './route-fields.ts';
import { sessionDetailSchema, sessionStateSchema, sessionViewSchema } from './session-view.ts';
import { recalledSchema } from './shapes.ts';
import { liveSchema, loggedSchema, sessionStreamSchema } from './stream.ts';

export const sessionRoutes = {
  sessions: defineRoute('sessions', 'GET /api/sessions', {
    projects: 'checked',
    summary: 'Sessions, in pages.',
    query: z.object({
      search: z.string().max(500).optional().describe('Text in the id, title, summary, workspace or messages.'),
      state: sessionStateSchema.optional(),
      workspace: z.string().optional(),
      project: z.string().optional().describe('A workspace, with the working copies of its repository.'),
      model: z.string().optional().describe('Full name, `provider/id`.'),
      since: z.iso.datetime().optional().describe('Only with an activity since then.'),
      until: z.iso.datetime().optional().describe('Only with the last activity before then.'),
      archived: z.stringbool().optional().describe('Only archived sessions, or only others. Default: both.'),
      sort: z.enum(['updated', 'created', 'cost', 'title']).default('updated'),
      order: z.enum(['asc', 'desc']).optional().describe('Default: descending; ascending for titles.'),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: z.string().optional().describe('`next` of the previous page.'),
    }),
    answer: z.object({ sessions: z.array(sessionViewSchema), next: z.string().nullable() }),
  }),
  openSession: defineRoute('sessions', 'POST /api/sessions', {
    projects: 'checked',
    summary: 'Opens a session. With a prompt, starts its first run.',
    body: z.object({
      session: ulid.optional().describe('Id of the session, a ULID. A retry with the same id has no further effect.'),
      workspace: z.string().optional().describe('Absolute path of a folder. Default: the configured one.'),
      grant: z
        .array(z.string())
        .optional()
        .describe('What the session may do, such as `file-operations`. Default: the workspace and the sandbox.'),
      allowNet: z
        .array(z.string())
        .optional()
        .describe(
          'Hosts that commands with a network reach too: `npm`, `pypi`, `crates`, `go`, `github`, or `example.com`.',
        ),
      agent: z
        .string()
        .optional()
        .describe('Name of an agent, whose authority, model and limits the other fields only narrow. Default `klaus`.'),
      runner: runnerNameSchema.optional().describe('What drives the agent, instead of what its definition says.'),
      workers: z
        .array(z.string())
        .optional()
        .describe('Names of agents to which the session can give tasks. They have their own authority.'),
      chat: z.boolean().optional().describe('True: a chat, which a later chat with this agent can continue.'),
      model: z.string().optional(),
      fallback: fallbackSchema
        .optional()
        .describe('Models that answer, in this order, while that one cannot. Default: the setting.'),
      temperature: temperatureSchema.optional().describe('Default: the setting, else that of the model.'),
      effort: effortSchema
        .optional()
        .describe('How much the model reasons. Default: the setting, else that of the model.'),
      mode: modeSchema.optional(),
      sandbox: sandboxNameSchema.optional().describe('`host` needs the role admin.'),
      limits: limitsSchema.partial().optional(),
      attended: z
        .boolean()
        .optional()
        .describe('True: a person is present, so that the default limits, which are for scripts, do not apply.'),
      isolate: z.boolean().optional(),
      workingCopy: z
        .object({ withChanges: z.boolean() })
        .optional()
        .describe('Work in a private clone of the repository. `withChanges`: with its uncommitted changes.'),
      trustCommand: z
        .boolean()
        .optional()
        .describe('A definition or a set-up command of the project may run its program. Only over the Unix socket.'),
      instance: ulid.optional().describe('Id of the terminal or script from which it is opened.'),
      startedBy: ulid.optional().describe('Id of the session from which it is started.'),
      ...promptFields,
    }),
    status: 202,
    answer: z.object({ session: z.string(), command: z.string().nullable() }),
  }),
  session: defineSessionRoute('GET /api/sessions/:id', {
    summary: 'One session with its budget, pins and queued messages.',
    answer: sessionDetailSchema,
  }),
  changeSession: defineSessionRoute('PATCH /api/sessions/:id', {
    summary: 'Changes title, pin, archive, model, fallback, mode, effort or limits.',
    body: z.object({
      title: z.string().min(1).max(200).optional(),
      pinned: z.boolean().optional(),
      archived: z.boolean().optional().describe('True: lists leave the session out until its next run.'),
      model: z.string().optional(),
      fallback: fallbackSchema.optional().describe('Models that answer while the model cannot.'),
      mode: modeSchema.optional(),
      effort: effortSchema.optional().describe('How much the model reasons from the next request on.'),
      limits: limitsSchema.partial().optional(),
    }),
    answer: sessionViewSchema,
  }),
  deleteSession: defineSessionRoute('DELETE /api/sessions/:id', {
    summary: 'Deletes a session. It can be undone for some seconds.',
    status: 202,
    answer: z.object({ session: z.string(), undoUntil: z.number().describe('Unix milliseconds.') }),
  }),
  keepSession: defineSessionRoute('POST /api/sessions/:id/keep', {
    summary: 'Undoes a pending delete.',
    answer: sessionViewSchema,
  }),
  exportSession: defineSessionRoute('GET /api/sessions/:id/export', {
    summary: 'The complete session as one document.',
    kind: 'text',
    media: ['text/markdown', 'application/json', 'text/html'],
    query: z.object({
      format: z
        .enum(['md', 'json', 'html'])
        .default('md')
        .describe('`html`: for others, as one file without scripts, redacted.'),
      language: z.enum(['en', 'de']).optional().describe('Of the texts of Klaus in `html`. Default `en`.'),
    }),
    answer: z.string(),
  }),
  exportTest: defineSessionRoute('GET /api/sessions/:id/test', {
    summary: 'The session as a script and a test that plays it, with its initial files.',
    answer: z.object({
      files: z.array(
        z.object({
          path: z.string().describe('Relative, with forward slashes.'),
          content: z.base64().describe('The bytes, in Base64.'),
        }),
      ),
      notes: z.array(z.string()).describe('What is not included, one sentence each.'),
    }),
  }),
  searchSession: defineSessionRoute('GET /api/sessions/:id/search', {
    summary: 'Searches the messages, calls and complete results of a session, the best matches first.',
    query: z.object({
      q: z.string().min(1).max(500),
      limit: z.coerce.number().int().min(1).max(200).default(20),
    }),
    answer: z.object({
      session: z.string().describe('Complete id of the session.'),
      hits: z.array(recalledSchema),
      skipped: z.array(z.int()).describe('Seqs of events that were too large to search.'),
    }),
  }),
  log: defineSessionRoute('GET /api/sessions/:id/log', {
    summary: 'Events of a session, in pages.',
    query: z.object({
      after: z.coerce.number().int().min(0).default(0),
      limit: z.coerce.number().int().min(1).max(5_000).default(1_000),
      last: z.coerce.number().int().min(1).max(5_000).optional().describe('Number of last events, instead of a page.'),
    }),
    answer: z.object({
      events: z.array(loggedSchema),
      last: z.int().describe('Seq of the last event of the session.'),
    }),
  }),
  sessionEvents: defineSessionRoute('GET /api/sessions/:id/events', {
    summary: 'Streams every event after a seq, with in-flight text in between.',
    kind: 'stream',
    query: z.object({
      after: z.coerce.number().int().min(0).default(0).describe('The header `Last-Event-ID` takes precedence.'),
    }),
    answer: sessionStreamSchema,
  }),
  live: defineSessionRoute('POST /api/sessions/:id/live', {
    summary: 'Accepts in-flight text of the process that holds the session. Only over the Unix socket.',
    role: 'admin',
    body: z.object({
      fence: z.int().describe('Fence of the lease of the process: an older one is refused.'),
      seq: z
        .int()
        .describe(
          'Seq of the last event that the process had appended. Text that has become durable since is ignored.',
        ),
      pieces: z.array(liveSchema).max(1_000),
    }),
    answer: z.object({ taken: z.boolean().describe('False: that process does not hold the session.') }),
  }),
};
