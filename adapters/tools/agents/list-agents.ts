import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { describeAgent } from './agent-intent.ts';

/** Lists the defined agents with their authority. */
export const listAgents = defineBuiltinTool({
  name: 'list_agents',
  description: 'List the agents that the user can start, with what each may do.',
  input: z.strictObject({}),
  effects: ['spawn'],
  resume: 'repeat',
  example: { grant: 'agent-creation', input: {}, output: 'No agents' },
  prepare: async () => ({ title: 'list the agents', access: [], creates: false }),
  async run(_, { agents }) {
    const { agents: all, broken } = await agents.list();
    const lines = all.map((agent) => describeAgent(agents, agent));
    const wrong = broken.map(({ error }) => `Broken: ${error.message}`);
    const text = [...(lines.length === 0 ? ['No agents are defined.'] : lines), ...wrong].join('\n');
    return { text, detail: { agents: all.map(({ name }) => name) } };
  },
});
