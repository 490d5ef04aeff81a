import { z } from 'zod';
import { runnerNameSchema, settingSourceSchema } from '../events/runner-event.ts';
import { fallbackSchema } from '../settings/model-name.ts';
import { REVIEWER_NAMES } from '../settings/reviewer-settings.ts';
import { effortSchema, temperatureSchema } from '../settings/sampling.ts';
import { agentNameSchema } from './agent-name.ts';

/** A list, or one text with commas between the entries, as Claude Code writes it. */
const namesSchema = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(','))])
  .transform((names) => names.map((name) => name.trim()).filter((name) => name !== ''));

/** A time in ISO 8601, in local time without an offset. */
const timeSchema = z.iso.datetime({ offset: true, local: true });

/** Model settings of an exported agent. Unknown fields are kept for its export. */
export const agentConfigSchema = z.looseObject({
  /** An id of OpenRouter, such as `openai/gpt-4o-mini`. */
  model: z.string().min(1).optional(),
  /** Sampling temperature, 0 to 2. */
  temperature: temperatureSchema.optional(),
  /** False: every chat starts without the messages of earlier ones. Default true. */
  preserve_history: z.boolean().optional(),
});

/** The front matter of a definition. It only requests: the host computes the authority of the agent. */
export const agentHeadSchema = z.strictObject({
  name: agentNameSchema,
  /** What the agent is for, for people and for agents that delegate to it. */
  description: z.string().trim().min(1).max(2_000),
  /** A model of Klaus, such as `anthropic/claude-sonnet-5-5`. Default: that of the session. */
  model: z.string().min(1).optional(),
  /** Models that answer while that one cannot, at most three. Default: the setting `fallback`. */
  fallback: namesSchema.pipe(fallbackSchema).optional(),
  color: z.string().optional(),
  /** Agents that it may start, by name; `*` for every one. Default: none. */
  allowedAgents: namesSchema.optional(),
  /** Reviewers of its calls, in addition to those of the setting `reviewers.use`. Default: none. */
  reviewers: namesSchema.pipe(z.array(z.enum(REVIEWER_NAMES))).optional(),
  /** MCP servers, instead of those of the project and the parent. */
  mcpServers: namesSchema.optional(),
  /** Default true. */
  inheritProjectMcps: z.boolean().optional(),
  /** Default false. */
  inheritParentMcps: z.boolean().optional(),
  /** Names of the only tools that it is offered. Default: all that its grant covers. */
  tools: namesSchema.optional(),
  disallowedTools: namesSchema.optional(),
  maxTurns: z.int().min(1).optional(),
  skills: namesSchema.optional(),
  permissionMode: z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']).optional(),
  effort: effortSchema.optional(),
  /** True: its parent continues without waiting for it. Default false. */
  background: z.boolean().optional(),
  /** Version of the definition, chosen by its author. */
  version: z.coerce.string().optional(),
  created: timeSchema.optional(),
  last_used: timeSchema.nullable().optional(),
  /** Named grants, such as `file-operations`. Default: none, so that it can only chat. */
  capabilities: namesSchema.optional(),
  /** Further authority, in the notation of `--grant`. */
  grants: z.union([z.array(z.string()), z.string().transform((text) => [text])]).optional(),
  /** Hosts that its commands with a network reach too: presets such as `npm`, and hosts. See `toNetAuthorities`. */
  allowNet: namesSchema.optional(),
  config: agentConfigSchema.optional(),
  /**
   * What drives the agent: `acp` is a program that speaks the Agent Client Protocol, `claude-code` is Claude Code.
   * Default: the loop of Klaus.
   */
  runner: runnerNameSchema.extract(['acp', 'claude-code']).optional(),
  /** With `runner: claude-code`: the settings files that it loads. Default: none. */
  settingSources: z.array(settingSourceSchema).optional(),
  /** With `runner`: the program and its arguments. It runs in the sandbox. Default with `claude-code`: `claude`. */
  command: z.array(z.string().min(1)).min(1).optional(),
  /** With `runner`: names of the variables of the user that the program gets, such as the key of its model. */
  env: namesSchema.optional(),
  /** With `runner`: a folder whose files are copied into the home folder of the program. Absolute, or below `~/`. */
  home: z.string().min(1).optional(),
  metadata: z.record(z.string(), z.json()).optional(),
});

export type AgentHead = z.infer<typeof agentHeadSchema>;

/** A described agent. */
export interface AgentDefinition extends AgentHead {
  /** The body of the Markdown file. */
  systemPrompt: string;
}
