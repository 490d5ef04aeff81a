import {
  limitsSchema,
  modeSchema,
  onAskSchema,
  partSchema,
  sandboxNameSchema,
  treeChangeSchema,
} from '@klaus/core/protocol';
import { z } from 'zod';
import { defineRoute } from './route.ts';
import { pinnedTextSchema, sessionDetailSchema, sessionStateSchema, sessionViewSchema } from './session-view.ts';
import { decisionViewSchema, processViewSchema, recalledSchema, restoredSchema } from './shapes.ts';
import { liveSchema, loggedSchema, sessionStreamSchema } from './stream.ts';

const tag = 'sessions';
const params = z.object({ id: z.string().describe('Session id or its beginning.') });
const sent = z.object({ session: z.string(), command: z.string().describe('Id of the command in the inbox.') });

const ulid = z.string().regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);

const prompting = {
  command: ulid
    .optional()
    .describe('Id for the command, a ULID. The same prompt sent again with it, after an answer that was lost, is one.'),
  waitForModelMs: z
    .number()
    .min(0)
    .max(604_800_000)
    .optional()
    .describe('Milliseconds for which the run waits out an outage of the model. Default: as the settings say.'),
  text: z.string().optional().describe('One longer than `maxPromptChars` is attached as a file.'),
  parts: z.array(partSchema).optional().describe('Text, images and files; after `text` where both are given.'),
  pin: z.boolean().optional().describe('Keep its text in the context word for word.'),
  onAsk: onAskSchema.optional().describe('Default `wait`.'),
};

const conflicts = z.enum(['refuse', 'keep', 'overwrite']).optional();

export const sessionRoutes = {
  sessions: defineRoute({
    method: 'GET',
    path: '/api/sessions',
    summary: 'Sessions, page by page.',
    tag,
    query: z.object({
      search: z.string().max(500).optional().describe('Text in id, title, summary, folder or messages.'),
      state: sessionStateSchema.optional(),
      workspace: z.string().optional(),
      sort: z.enum(['updated', 'created', 'cost', 'title']).default('updated'),
      order: z.enum(['asc', 'desc']).optional().describe('Default: descending; for titles ascending.'),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: z.string().optional().describe('`next` of the page before.'),
    }),
    answer: z.object({ sessions: z.array(sessionViewSchema), next: z.string().nullable() }),
  }),
  openSession: defineRoute({
    method: 'POST',
    path: '/api/sessions',
    summary: 'Opens a session and, with a prompt, begins its first run.',
    tag,
    body: z.object({
      session: ulid
        .optional()
        .describe('Id for the session, a ULID. Asked for again with it, after an answer that was lost, it is one.'),
      workspace: z.string().optional().describe('Absolute path of a folder. Default: the configured one.'),
      grant: z
        .array(z.string())
        .optional()
        .describe('What the session may do, such as `file-operations`. Default: the workspace and the sandbox.'),
      model: z.string().optional(),
      mode: modeSchema.optional(),
      sandbox: sandboxNameSchema.optional(),
      limits: limitsSchema.partial().optional(),
      isolate: z.boolean().optional(),
      ...prompting,
    }),
    status: 202,
    answer: z.object({ session: z.string(), command: z.string().nullable() }),
  }),
  session: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id',
    summary: 'One session with its budget, pins and waiting messages.',
    tag,
    params,
    answer: sessionDetailSchema,
  }),
  changeSession: defineRoute({
    method: 'PATCH',
    path: '/api/sessions/:id',
    summary: 'Changes title, pin, model, mode or limits.',
    tag,
    params,
    body: z.object({
      title: z.string().min(1).max(200).optional(),
      pinned: z.boolean().optional(),
      model: z.string().optional(),
      mode: modeSchema.optional(),
      limits: limitsSchema.partial().optional(),
    }),
    answer: sessionViewSchema,
  }),
  deleteSession: defineRoute({
    method: 'DELETE',
    path: '/api/sessions/:id',
    summary: 'Deletes a session. For some seconds that can be taken back.',
    tag,
    params,
    status: 202,
    answer: z.object({ session: z.string(), undoUntil: z.number().describe('Unix milliseconds.') }),
  }),
  keepSession: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/keep',
    summary: 'Takes a delete back, while its time has not come.',
    tag,
    params,
    answer: sessionViewSchema,
  }),
  exportSession: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/export',
    summary: 'The whole session as one document.',
    tag,
    kind: 'text',
    params,
    query: z.object({ format: z.enum(['md', 'json']).default('md') }),
    answer: z.string(),
  }),
  exportTest: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/test',
    summary: 'The session as a script and a test that plays it, with the files that it began with.',
    tag,
    params,
    answer: z.object({
      files: z.array(
        z.object({
          path: z.string().describe('Relative, with forward slashes.'),
          content: z.base64().describe('The bytes, in Base64.'),
        }),
      ),
      notes: z.array(z.string()).describe('What could not be taken over, a sentence each.'),
    }),
  }),
  searchSession: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/search',
    summary: 'Where words stand in the messages, calls and whole results of a session, the best first.',
    tag,
    params,
    query: z.object({
      q: z.string().min(1).max(500),
      limit: z.coerce.number().int().min(1).max(200).default(20),
    }),
    answer: z.object({
      session: z.string().describe('Its whole id.'),
      hits: z.array(recalledSchema),
      skipped: z.array(z.int()).describe('Records that were too large to be looked through.'),
    }),
  }),
  log: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/log',
    summary: 'Events of a session, page by page.',
    tag,
    params,
    query: z.object({
      after: z.coerce.number().int().min(0).default(0),
      limit: z.coerce.number().int().min(1).max(5_000).default(1_000),
      last: z.coerce.number().int().min(1).max(5_000).optional().describe('The last so many, in place of a page.'),
    }),
    answer: z.object({ events: z.array(loggedSchema), last: z.int().describe('Seq of the last event there is.') }),
  }),
  sessionEvents: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/events',
    summary: 'The canonical stream: every event after a seq, and live text in between.',
    tag,
    kind: 'stream',
    params,
    query: z.object({
      after: z.coerce.number().int().min(0).default(0).describe('`Last-Event-ID`, where it is sent, wins.'),
    }),
    answer: sessionStreamSchema,
  }),
  live: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/live',
    summary: 'Takes the text on its way of the process that holds the session. Only by the Unix socket.',
    tag,
    params,
    body: z.object({
      fence: z.int().describe('Of the claim under which the process works: an older one is refused.'),
      seq: z.int().describe('Of the last event that the process had appended: what is durable since is left out.'),
      pieces: z.array(liveSchema).max(1_000),
    }),
    answer: z.object({ taken: z.boolean().describe('False: the session is not held by that process.') }),
  }),
  sendPrompt: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/prompt',
    summary: 'Begins a run or, while one is under way, steers it or waits for its end.',
    tag,
    params,
    body: z.object({ ...prompting, delivery: z.enum(['steer', 'queue']).optional().describe('Default `steer`.') }),
    status: 202,
    answer: sent,
  }),
  withdraw: defineRoute({
    method: 'DELETE',
    path: '/api/sessions/:id/queue/:command',
    summary: 'Takes back a message that waits. One that the run has read meanwhile stays said.',
    tag,
    params: params.extend({ command: z.string().describe('Of the message, as the queue names it.') }),
    status: 202,
    answer: sent,
  }),
  cancel: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/cancel',
    summary: 'Stops the run, whichever process it is in.',
    tag,
    params,
    body: z.object({ run: z.string().optional().describe('Only this one.'), reason: z.string().max(500).optional() }),
    status: 202,
    answer: sent,
  }),
  resume: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/resume',
    summary: 'Goes on after a crash, a limit, a failure or a cancel.',
    tag,
    params,
    body: z.object({
      limits: limitsSchema.partial().optional(),
      onAsk: onAskSchema.optional().describe('Default: as configured, else `wait`.'),
      waitForModelMs: prompting.waitForModelMs,
    }),
    status: 202,
    answer: z.object({ session: z.string() }),
  }),
  retry: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/retry',
    summary: 'Tries the last prompt again, with the history as it was before it: in a fork, so that nothing is lost.',
    tag,
    params,
    body: z.object({ model: z.string().optional() }),
    status: 202,
    answer: z.object({ session: z.string().describe('The fork.'), command: z.string() }),
  }),
  fork: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/fork',
    summary: 'A new session that begins as a copy up to an event; with a prompt its first run begins.',
    tag,
    params,
    body: z.object({
      at: z.int().min(1).optional().describe('Seq of the last event that is taken over. Default: the last.'),
      before: z
        .string()
        .optional()
        .describe('In place of `at`: id of a message of the user; everything before it is taken over.'),
      model: z.string().optional(),
      title: z.string().max(200).optional(),
      files: z
        .enum(['now', 'then'])
        .optional()
        .describe('`then`: put the workspace back to that moment where nobody else changed it. Default `now`.'),
      ...prompting,
    }),
    status: 202,
    answer: z.object({
      session: z.string(),
      at: z.int(),
      settled: z.array(z.string()).describe('What was open there, and how it was settled.'),
      restored: restoredSchema.nullable(),
      command: z.string().nullable(),
    }),
  }),
  undo: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/undo',
    summary: 'Undoes what the last prompt changed, its last turn alone, or everything from a turn on.',
    tag,
    params,
    body: z.object({
      turn: z.int().min(1).optional(),
      step: z.boolean().optional().describe('Only the last turn that changed files. Default false.'),
      git: z.boolean().optional().describe("Also git's own data: HEAD, refs, index, stash, reflogs. Default false."),
      dryRun: z.boolean().optional(),
      conflicts,
    }),
    answer: restoredSchema,
  }),
  redo: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/redo',
    summary: 'Makes again what the last undo took back.',
    tag,
    params,
    body: z.object({ dryRun: z.boolean().optional(), conflicts }),
    answer: restoredSchema,
  }),
  changes: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/changes',
    summary: 'What a turn changed in the workspace, or all turns since the session began.',
    tag,
    params,
    query: z.object({ turn: z.coerce.number().int().min(1).optional().describe('Absent: all turns.') }),
    answer: z.object({ turn: z.int().nullable(), changes: z.array(treeChangeSchema), diff: z.string() }),
  }),
  decisions: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/decisions',
    summary: 'Why the gate allowed, asked about or denied each call.',
    tag,
    params,
    query: z.object({ denied: z.stringbool().optional().describe('Only what was denied or asked about.') }),
    answer: z.object({ decisions: z.array(decisionViewSchema) }),
  }),
  callOutput: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/calls/:call/output',
    summary: 'The whole output of a call, also where the model saw a part of it. Secrets are taken out.',
    tag,
    kind: 'text',
    params: params.extend({ call: z.string() }),
    answer: z.string(),
  }),
  verify: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/verify',
    summary: 'Runs the checks of the last run that had any again, through the gate, and writes down what came out.',
    tag,
    params,
    body: z.object({ approve: z.boolean().optional().describe('Also runs what the gate would ask about.') }),
    answer: z.object({
      isChanged: z.boolean().describe('The workspace differs from what the recorded checks saw.'),
      checks: z.array(
        z.object({
          command: z.string(),
          result: z.enum(['passed', 'failed', 'denied', 'skipped']),
          reason: z.string().nullable(),
        }),
      ),
    }),
  }),
  pin: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/pins',
    summary: 'Keeps a text in the context word for word: one given, or that of a record.',
    tag,
    params,
    body: z.object({ text: z.string().min(1).optional(), seq: z.int().min(1).optional() }),
    answer: z.object({ pin: z.string(), applied: z.boolean(), pins: z.array(pinnedTextSchema) }),
  }),
  unpin: defineRoute({
    method: 'DELETE',
    path: '/api/sessions/:id/pins/:pin',
    summary: 'Lets the next compaction leave a pinned text out.',
    tag,
    params: params.extend({ pin: z.string() }),
    answer: z.object({ pin: z.string(), applied: z.boolean(), pins: z.array(pinnedTextSchema) }),
  }),
  processes: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/processes',
    summary: 'Background processes of a session.',
    tag,
    params,
    answer: z.object({ processes: z.array(processViewSchema) }),
  }),
  processOutput: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/processes/:process/output',
    summary: 'Output of a background process from a byte on, with secrets taken out.',
    tag,
    params: params.extend({ process: z.string().describe('Such as `p1`.') }),
    query: z.object({ from: z.coerce.number().int().min(0).default(0) }),
    answer: z.object({ text: z.string(), next: z.int().describe('The byte to go on from.') }),
  }),
  stopProcess: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/processes/:process/stop',
    summary: 'Ends a background process.',
    tag,
    params: params.extend({ process: z.string() }),
    answer: processViewSchema,
  }),
};
