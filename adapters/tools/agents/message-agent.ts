import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { budgetSchema, toLimits } from './budget.ts';
import { CREATE_POET } from './example-agent.ts';

/**
 * Sends a message to an agent that this session started, or to a worker to which the user gave its own authority. The
 * message transfers no authority in either direction.
 */
export const messageAgent = defineBuiltinTool({
  name: 'message_agent',
  description:
    'Send a message to an agent that you started: it continues with it. Or give a task to a worker of the user by its name: it works with its own authority. wait_agents returns the answer.',
  input: z.strictObject({
    to: z.string().min(1).describe('Id or name of the agent.'),
    message: z.string().min(1),
    budget: budgetSchema.optional().describe('For a worker that has not started.'),
  }),
  effects: ['spawn'],
  // The id of the message makes it arrive once.
  resume: 'repeat',
  example: {
    grant: 'agent-creation',
    before: [CREATE_POET, { name: 'spawn_agent', input: { agent: 'poet', task: 'Write a poem about lists.' } }],
    input: { to: 'poet', message: 'Make it shorter.' },
    output: 'Sent to poet',
  },
  async prepare({ to, message, budget }, { children }) {
    const title = `send ${to} a message: ${JSON.stringify(headOf(message, 200))}`;
    const planned = children.planned();
    if (planned) return { title, access: [], child: planned, creates: false };
    if (!children.isNewWorker(to)) return { title, access: [], creates: false };
    return {
      title,
      access: [],
      child: await children.plan({ agent: to, edge: 'invoke', limits: toLimits(budget) }),
    };
  },
  async run({ to, message }, { children }, { child }) {
    if (child) {
      await children.start(child, message);
      const text = `Started the worker ${to} as ${child.id}. Call wait_agents for its answer.`;
      return { text, detail: { child: child.id } };
    }
    const { id, agent } = await children.send(to, message);
    return { text: `Sent to ${agent} (${id}). Call wait_agents for its answer.`, detail: { child: id } };
  },
});
