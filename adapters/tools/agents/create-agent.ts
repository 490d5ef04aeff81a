import { z } from 'zod';
import { agentNameSchema, type AgentDefinition } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { agentFields, toFields } from './agent-input.ts';
import { toAgentIntent } from './agent-intent.ts';

const { description, system_prompt, ...others } = agentFields;

const input = z.strictObject({
  name: agentNameSchema.describe('Lower-case letters, digits and single hyphens.'),
  description,
  system_prompt,
  ...z.strictObject(others).partial().shape,
  project: z.boolean().optional().describe('True: only for this project. Default: for all projects of the user.'),
  reason: z.string().describe('Why the agent needs this authority. The user sees it.'),
});

/** Creates an agent. The user approves authority that the session may not delegate. */
export const createAgent = defineBuiltinTool({
  name: 'create_agent',
  description:
    'Create an agent that the user can start. Give it the least authority that its task needs. The user must approve authority that you may not delegate.',
  input,
  effects: ['spawn'],
  // A definition that is already there unchanged was written by the interrupted call.
  resume: 'repeat',
  example: {
    grant: 'agent-creation',
    input: { name: 'poet', description: 'Writes poems.', system_prompt: 'You write poems.', reason: 'It only talks.' },
    output: 'Created the agent poet',
  },
  async prepare(given, { agents }) {
    const { name, reason, project = false } = given;
    const after = toDefinition(given);
    const { unknownTools } = agents.grantOf(after);
    if (unknownTools.length > 0) throw toolFailed(`There is no tool ${unknownTools.join(', ')}.`);
    return toAgentIntent(agents, { verb: 'create', name, reason, after, isOfProject: project });
  },
  async run(given, { agents }) {
    const { name, project = false } = given;
    const definition = toDefinition(given);
    const { agents: all } = await agents.list();
    const from = project ? 'project' : 'user';
    const same = all.find(
      (agent) => agent.from === from && JSON.stringify(agent.definition) === JSON.stringify(definition),
    );
    const file = same?.file ?? (await agents.save(definition, { place: from }));
    return { text: `Created the agent ${name}. The user starts it with: klaus chat ${name}`, detail: { name, file } };
  },
});

function toDefinition({ name, project: _, reason: __, ...fields }: z.infer<typeof input>): AgentDefinition {
  return { name, ...toFields(fields), description: fields.description, systemPrompt: fields.system_prompt };
}
