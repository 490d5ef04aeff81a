import { z } from 'zod';
import { agentReferenceSchema } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { toAgentIntent } from './agent-intent.ts';
import { CREATE_POET } from './example-agent.ts';

/** Deletes an agent. The user deletes one that hides another, which could have more authority. */
export const deleteAgent = defineBuiltinTool({
  name: 'delete_agent',
  description:
    'Delete an agent. A copy of its file is kept. The user must approve if it has authority that you may not delegate.',
  input: z.strictObject({ name: agentReferenceSchema, reason: z.string().describe('The user sees it.') }),
  effects: ['spawn'],
  resume: 'tell',
  example: {
    grant: 'agent-creation',
    before: [CREATE_POET],
    input: { name: 'poet', reason: 'Poems are no longer needed.' },
    output: 'Deleted the agent poet',
  },
  async prepare({ name, reason }, { agents }) {
    const { definition, from, hides } = await agents.find(name);
    if (hides.length > 0) {
      throw toolFailed(`${name} hides ${hides[0]}, which may have more authority: the user deletes it.`, {
        hint: `klaus agents delete ${name}`,
      });
    }
    return toAgentIntent(agents, {
      verb: 'delete',
      name,
      reason,
      before: definition,
      isOfProject: from === 'project',
    });
  },
  async run({ name }, { agents }) {
    const { copy } = await agents.remove(name);
    return { text: `Deleted the agent ${name}. A copy is at ${copy}.`, detail: { name, copy } };
  },
});
