import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { describeUse } from './child-text.ts';

/** Lists the agents that this session started. */
export const listChildren = defineBuiltinTool({
  name: 'list_children',
  description: 'List the agents that you started, with their state and cost.',
  input: z.strictObject({}),
  effects: ['spawn'],
  resume: 'repeat',
  example: { grant: 'agent-creation', input: {}, output: 'No agents were started' },
  prepare: async () => ({ title: 'list the started agents', access: [], creates: false }),
  async run(_, { children }) {
    const reports = await children.list();
    const lines = reports.map((report) => {
      const { id, agent, state, outcome } = report;
      return `${agent} (${id}): ${state}${outcome === undefined ? '' : `, ${outcome}`}, ${describeUse(report)}`;
    });
    const detail = reports.map(({ id, agent, state, usd }) => ({ child: id, agent, state, usd }));
    return { text: lines.length === 0 ? 'No agents were started.' : lines.join('\n'), detail: { agents: detail } };
  },
});
