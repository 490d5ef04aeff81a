import { z } from 'zod';
import { grantSchema } from '../authority/grant.ts';
import { recordedLimitsSchema } from '../settings/limits.ts';
import { REVIEWER_NAMES } from '../settings/reviewer-settings.ts';
import { effortSchema, temperatureSchema } from '../settings/sampling.ts';
import { sessionRunnerSchema } from './runner-event.ts';
import { checkpointSchema, modeSchema, onAskSchema, sandboxNameSchema } from '../authority/mode.ts';

const forkedSchema = z
  .object({
    session: z.string().describe('The original.'),
    seq: z.int().describe('The last copied event. Events up to it have the same seq in the original.'),
    head: z.string().describe("SHA-256 of the original's record at that seq."),
    root: z.string().describe('The first session of the line of forks. Placeholders of secrets derive from its id.'),
    settled: z
      .int()
      .describe(
        'Number of events after the copied ones that close open calls and approvals and describe the state in which the fork starts.',
      ),
  })
  .describe('This session started as a copy of another. The usage in the copied events belongs to the original.');

const mcpServerSchema = z.object({
  name: z.string(),
  from: z.enum(['project', 'user']).describe('`.mcp.json` of the workspace, or `mcp.json` of the state folder.'),
  hash: z.string().describe('SHA-256 of its entry. With another one it is not started.'),
});
/** An MCP server that the user lets a session start. */
export type SessionMcpServer = z.infer<typeof mcpServerSchema>;

const workingCopySchema = z
  .object({
    repository: z.string().describe('Top of the working tree of the original. Absolute real path.'),
    path: z.string().describe('Top of the working copy. Absolute real path.'),
    branch: z.string().describe('The branch of the session, such as `klaus/3f9ab2cd`.'),
    base: z.string().describe('The commit from which it started.'),
  })
  .describe('The private clone in which the session works.');

export const sessionOpened = z
  .object({
    type: z.literal('session.opened'),
    workspace: z.string().describe('Absolute real path.'),
    model: z.string().describe('Full model name, `provider/id`.'),
    fallback: z
      .array(z.string())
      .optional()
      .describe('Full names of the models that answer, in this order, while that one cannot. Absent: none.'),
    temperature: temperatureSchema.optional().describe('Sampling temperature. Absent: the default of the model.'),
    effort: effortSchema.optional().describe('How much the model reasons. Absent: the default of the model.'),
    mode: modeSchema,
    patchApproval: z.boolean().describe('Every file change needs an approval, in every mode.'),
    sandbox: sandboxNameSchema,
    checkpoint: checkpointSchema,
    limits: recordedLimitsSchema,
    grant: grantSchema,
    system: z
      .string()
      .describe('The system prompt. It does not change in a session, so that the prompt cache stays valid.'),
    tools: z.array(z.string()).describe('Names of the tools, in the order sent to the model.'),
    deferred: z
      .array(z.string())
      .optional()
      .describe('Names of the tools that are not in the request. `tool_search` finds them and `use_tool` calls them.'),
    parent: z
      .object({ session: z.string(), call: z.string() })
      .optional()
      .describe('The session and the call that gave this one its task. Absent: the user opened it.'),
    klaus: z.string().describe('Version of Klaus.'),
    agent: z.string().optional().describe('Name of the agent; absent: the built-in one.'),
    allowedAgents: z
      .array(z.string())
      .optional()
      .describe('Names of the agents that it may give tasks; `*` is every one. Absent: every one.'),
    workers: z
      .array(z.object({ agent: z.string(), definition: z.string(), grant: grantSchema }))
      .optional()
      .describe('Agents to which the user gave their own authority, so that this session can give them tasks.'),
    reviewers: z
      .array(z.enum(REVIEWER_NAMES))
      .optional()
      .describe('Reviewers that its agent adds to those of the settings.'),
    chat: z
      .boolean()
      .optional()
      .describe('True: a chat, which the next chat with this agent in this workspace continues.'),
    isolate: z
      .boolean()
      .optional()
      .describe('Commands run on a layer. Their changes are reviewed before they are applied.'),
    readable: z
      .array(z.string())
      .optional()
      .describe(
        'Absolute real paths of folders outside the workspace that may be read: the repository around it, folders that the user names, and folders of the grant.',
      ),
    writable: z
      .array(z.string())
      .optional()
      .describe('The folders of `readable` that may also be changed. Snapshots of the session contain them.'),
    snapshots: z.boolean().optional().describe('False: no snapshots are stored, and nothing can be undone.'),
    runner: sessionRunnerSchema
      .optional()
      .describe('The program that drives the agent. Absent: the loop of Klaus, which asks a model.'),
    mcpServers: z
      .array(mcpServerSchema)
      .optional()
      .describe('MCP servers whose tools `tool_search` finds as `mcp__SERVER__TOOL`. Absent: none.'),
    workingCopy: workingCopySchema.optional(),
    privateHosts: z
      .array(z.string())
      .optional()
      .describe(
        'The session reaches public addresses only, and these hosts of private networks. Absent: what its grant names.',
      ),
    instance: z.string().optional().describe('Id of the terminal or script from which it was opened.'),
    startedBy: z
      .string()
      .optional()
      .describe('Id of the session from which it was started. It has no part of its authority.'),
    forked: forkedSchema.optional(),
  })
  .describe('A session was opened. These values stay valid when the session is resumed.');

export const sessionChanged = z
  .object({
    type: z.literal('session.changed'),
    title: z.string().optional(),
    summary: z.string().optional(),
    model: z.string().optional(),
    fallback: z.array(z.string()).optional().describe('Names of the models that answer while the model cannot.'),
    mode: modeSchema.optional(),
    effort: effortSchema.optional().describe('How much the model reasons from the next request on.'),
    limits: recordedLimitsSchema.optional(),
    pinned: z.boolean().optional(),
    archived: z.boolean().optional().describe('True: lists leave the session out. The next run ends it.'),
    onAsk: onAskSchema.optional().describe('What the open run does with questions from now on.'),
  })
  .describe(
    'Title, summary, model, fallback, mode, effort, limits, or what the open run does with questions, changed.',
  );

export const sessionClosed = z
  .object({ type: z.literal('session.closed'), reason: z.string() })
  .describe('A session was closed. No further run starts in it.');
