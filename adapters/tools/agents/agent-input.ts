import { z } from 'zod';
import { BUNDLE_NAMES, type BundleName } from '@klaus/core/policy';
import type { AgentDefinition } from '@klaus/core/protocol';
import { optional } from '@klaus/core/optional';

/** The fields of a definition that an agent may write. */
export const agentFields = {
  description: z.string().describe('What the agent is for, in one sentence.'),
  system_prompt: z.string().describe('Its instructions.'),
  capabilities: z.array(z.enum(BUNDLE_NAMES as [BundleName, ...BundleName[]])).describe('Default: none, chat only.'),
  grants: z.array(z.string()).describe('Narrower authority instead, such as "fs(docs, r) tool(*)".'),
  tools: z.array(z.string()).describe('The only tools that it is offered.'),
  model: z.string(),
  max_turns: z.int().min(1),
};

export const agentFieldsSchema = z.strictObject(agentFields).partial();

/** The given fields, as those of a definition. */
export function toFields(given: z.infer<typeof agentFieldsSchema>): Partial<AgentDefinition> {
  const { system_prompt: systemPrompt, max_turns: maxTurns, description, capabilities, grants, tools, model } = given;
  return optional({ systemPrompt, maxTurns, description, capabilities, grants, tools, model });
}
