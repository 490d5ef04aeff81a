import { agentHeadSchema } from '@klaus/core/protocol';
import { z } from 'zod';
import { defineRoute } from './route.ts';

/** The name of the built-in agent, which no definition has. */
export const BUILT_IN_AGENT = 'klaus';

const agentParams = z.object({ name: z.string().max(200) });

const folder = {
  workspace: z.string().optional().describe('Absolute path of a folder. Default: the configured workspace.'),
};

const dryRun = z.stringbool().optional().describe('Checks the definition and writes nothing. Default false.');

const hash = z.string().describe('`hash` of the definition that the client has read. Another one is a conflict.');

const definitionSchema = agentHeadSchema.extend({
  systemPrompt: z.string().max(200_000).default('').describe('Instructions of the agent.'),
});

export const agentViewSchema = z.object({
  name: z.string().describe('How a session names it; `project/NAME` for a definition of the project.'),
  description: z.string(),
  capabilities: z.array(z.string()),
  isChatOnly: z.boolean().describe('True if it requests no authority.'),
  tools: z.array(z.string()).nullable().describe('The only tools that it names; null: all that its grant covers.'),
  model: z.string().nullable().describe('Null: that of the session.'),
  file: z.string().nullable().describe('Absolute path of its definition; null: built in.'),
  hides: z.array(z.string()).describe('Files of the same name that it hides.'),
  source: z.enum(['user', 'project']).nullable().describe('Who wrote its definition; null: built in.'),
  untrusted: z
    .array(z.string())
    .describe('What it asks for beyond reading and editing files, until `klaus agents trust` agrees to it.'),
  lastUsed: z.string().nullable().describe('ISO 8601; null: never.'),
});
export type AgentView = z.infer<typeof agentViewSchema>;

const authorityFields = {
  grant: z.string().describe('The authority that it requests, in the notation of grants.'),
  may: z.array(z.string()).describe('What it may do, one sentence each, without a period.'),
  cannot: z.array(z.string()).describe('What it cannot do.'),
  unknownTools: z.array(z.string()).describe('Names of tools that do not exist.'),
};

export const agentDetailSchema = agentViewSchema.extend({
  ...authorityFields,
  // The name of the built-in agent is reserved in definitions.
  definition: definitionSchema.extend({ name: z.string() }),
  problem: z.string().nullable().describe('Why its authority cannot be computed, such as an unknown capability.'),
  hash: z.string().describe('SHA-256 of the file, for a change; empty: built in, so that it cannot be changed.'),
});
export type AgentDetail = z.infer<typeof agentDetailSchema>;

/** A file that is not a definition. */
const brokenAgentSchema = z.object({
  file: z.string(),
  line: z.int(),
  reason: z.string(),
  hint: z.string().nullable(),
});

const savedSchema = z.object({
  name: z.string(),
  file: z.string().nullable().describe('Null for a dry run.'),
  ...authorityFields,
});

export const agentRoutes = {
  agents: defineRoute('agents', 'GET /api/agents', {
    projects: 'checked',
    summary: 'The agents of a workspace, the built-in one first, and files that cannot be read.',
    query: z.object(folder),
    answer: z.object({ agents: z.array(agentViewSchema), broken: z.array(brokenAgentSchema) }),
  }),
  agent: defineRoute('agents', 'GET /api/agents/:name', {
    projects: 'checked',
    summary: 'The definition of one agent, and what it may do.',
    params: agentParams,
    query: z.object(folder),
    answer: agentDetailSchema,
  }),
  createAgent: defineRoute('agents', 'POST /api/agents', {
    summary: 'Creates an agent.',
    role: 'admin',
    query: z.object({
      ...folder,
      place: z.enum(['user', 'project']).default('user').describe('`project`: in the workspace, for all of its users.'),
      dryRun,
    }),
    body: definitionSchema,
    answer: savedSchema,
  }),
  changeAgent: defineRoute('agents', 'PUT /api/agents/:name', {
    summary: 'Replaces the definition of an agent. Its open sessions do not change.',
    role: 'admin',
    params: agentParams,
    query: z.object({ ...folder, hash, dryRun }),
    body: definitionSchema,
    answer: savedSchema,
  }),
  deleteAgent: defineRoute('agents', 'DELETE /api/agents/:name', {
    summary: 'Deletes the definition of an agent. Its open sessions do not change.',
    role: 'admin',
    params: agentParams,
    query: z.object({ ...folder, hash }),
    answer: z.object({ name: z.string(), file: z.string() }),
  }),
};
