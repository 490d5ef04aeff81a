import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import { toGrantText } from '@klaus/core/policy';
import { agentReferenceSchema, limitsSchema } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { budgetSchema, toLimits } from './budget.ts';
import { CREATE_POET } from './example-agent.ts';

/** Starts an agent in a session of its own. Its authority is what it asks for, as far as this session may delegate it. */
export const spawnAgent = defineBuiltinTool({
  name: 'spawn_agent',
  description:
    'Give a task to an agent in a session of its own. It does not see this conversation. Returns at once: several agents work at the same time, and wait_agents returns their results. The user must approve authority that you may not delegate.',
  input: z.strictObject({
    agent: agentReferenceSchema.describe('list_agents lists them.'),
    task: z.string().min(1).describe('All that it needs to know.'),
    budget: budgetSchema.optional(),
    narrow: z
      .boolean()
      .optional()
      .describe('True: it gets only what you may delegate, without a question to the user.'),
  }),
  effects: ['spawn'],
  // A child session that the interrupted call recorded is opened once.
  resume: 'repeat',
  example: {
    grant: 'agent-creation',
    before: [CREATE_POET],
    input: { agent: 'poet', task: 'Write a poem about lists.' },
    output: 'Started poet',
  },
  async prepare({ agent, task, budget, narrow }, { children }) {
    const title = `give ${agent} a task: ${JSON.stringify(headOf(task, 200))}`;
    // It was judged before it was recorded, and counts as one of the agents that may be created.
    const planned = children.planned();
    if (planned) return { title, access: [], child: planned, creates: false };
    const child = await children.plan({ agent, limits: toLimits(budget), narrow });
    const text = toGrantText(child.wanted);
    return {
      title,
      access: [],
      child,
      ...(child.edge === 'spawn' && { delegates: { agent, grant: child.wanted, text } }),
    };
  },
  async run({ agent, task }, { children }, { child }) {
    if (!child) throw toolFailed(`${agent} cannot be started.`);
    await children.start(child, task);
    const text = `Started ${agent} as ${child.id}. Authority: ${toGrantText(child.wanted)}. Call wait_agents for its result.`;
    return { text, detail: { child: child.id, agent, limits: limitsSchema.parse(child.limits) } };
  },
});
