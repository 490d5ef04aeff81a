import { z } from 'zod';
import type { Agents, AgentSource } from '@klaus/core/agent';
import { agentReferenceSchema, type AgentDefinition } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { agentFieldsSchema, toFields } from './agent-input.ts';
import { toAgentIntent } from './agent-intent.ts';
import { CREATE_POET } from './example-agent.ts';

const input = z.strictObject({
  name: agentReferenceSchema,
  ...agentFieldsSchema.shape,
  reason: z.string().describe('Why the agent needs the authority that it has then. The user sees it.'),
});

/**
 * Changes an agent. The gate judges all of its authority, not only what is added: new instructions for an agent of wide
 * authority use that authority.
 */
export const modifyAgent = defineBuiltinTool({
  name: 'modify_agent',
  description:
    'Change an agent; fields that you leave out stay. The user must approve if the agent then has authority that you may not delegate. Its open sessions do not change.',
  input,
  effects: ['spawn'],
  // The same change again is harmless.
  resume: 'repeat',
  example: {
    grant: 'agent-creation',
    before: [CREATE_POET],
    input: { name: 'poet', description: 'Writes sonnets.', reason: 'It only talks.' },
    output: 'Changed the agent poet',
  },
  async prepare(given, { agents }) {
    const { name, reason } = given;
    const { before, after, from } = await toChanged(agents, given);
    const { unknownTools } = agents.grantOf(after);
    if (unknownTools.length > 0) throw toolFailed(`There is no tool ${unknownTools.join(', ')}.`);
    return toAgentIntent(agents, {
      verb: 'modify',
      name,
      reason,
      before,
      after,
      isOfProject: from === 'project',
    });
  },
  async run(given, { agents }) {
    const { after, from } = await toChanged(agents, given);
    const file = await agents.save(after, { replace: true, place: from });
    return { text: `Changed the agent ${given.name}. Later sessions use it.`, detail: { name: given.name, file } };
  },
});

async function toChanged(
  agents: Agents,
  { name, reason: _, ...fields }: z.infer<typeof input>,
): Promise<{ before: AgentDefinition; after: AgentDefinition; from: AgentSource }> {
  const { definition, from } = await agents.find(name);
  return { before: definition, after: { ...definition, ...toFields(fields) }, from };
}
