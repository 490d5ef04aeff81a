import { z } from 'zod';
import { KlausError, TOOL_SEARCH, USE_TOOL, headOf } from '../../protocol/index.ts';
import type { ToolSpec } from '../ports/model.ts';
import { defineTool } from '../ports/tool.ts';
import { isSessionTool } from '../ports/session-tools.ts';

const MAX_QUERY = 1_000;

/** Its result is text in the history, so that the prefix of later requests does not change. */
export const toolSearch = defineTool({
  name: TOOL_SEARCH,
  description: `Find more tools by words or names. Gives their descriptions and input schemas; call them with ${USE_TOOL}.`,
  input: z.object({ query: z.string() }),
  effects: ['read'],
  resume: 'repeat',
  async prepare({ query }) {
    if (query.length > MAX_QUERY)
      throw new KlausError('tool.failed', `The query has ${query.length} characters; at most ${MAX_QUERY}.`);
    return { title: `find a tool: ${headOf(query.replaceAll(/\s+/g, ' '), 100)}`, access: [] };
  },
  async run({ query }, context) {
    const { found, names, failures, source } = await context.findTools(query);
    const others = listNames(names.filter((name) => !found.some((spec) => spec.name === name)));
    const rest = [others === '' ? '' : `${found.length > 0 ? 'Others' : 'There are'}: ${others}`, ...failures]
      .filter((part) => part !== '')
      .join('\n\n');
    if (found.length === 0)
      return { text: rest === '' ? 'There are no more tools.' : `No tool matches these words. ${rest}` };
    const how = `Call one with ${USE_TOOL} {"name": "${found[0]!.name}", "input": {…}}.`;
    return {
      text: [...found.map(describe), how, rest].filter((part) => part !== '').join('\n\n'),
      detail: { found: found.map(({ name }) => name) },
      ...(source === undefined ? {} : { untrusted: { source } }),
    };
  },
});

/** The tools of a server are listed by their number: it can have hundreds. */
function listNames(names: readonly string[]): string {
  const servers = Map.groupBy(names.filter(isSessionTool), (name) => name.slice(0, name.indexOf('__', 5)));
  const ofServers = [...servers].map(([server, tools]) => `${server}__* (${tools.length} tools)`);
  return [...names.filter((name) => !isSessionTool(name)), ...ofServers].join(', ');
}

function describe({ name, description, inputSchema, effects }: ToolSpec): string {
  return `${name} (${effects.join(', ')}): ${description}\ninput: ${JSON.stringify(inputSchema)}`;
}

/** The tool as the model sees it. A call of it becomes a call of the tool that it names. */
export const USE_TOOL_SPEC: ToolSpec = {
  name: USE_TOOL,
  description: `Call a tool that is not in this list, as ${TOOL_SEARCH} described it.`,
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, input: { type: 'object', description: "the tool's own fields" } },
    required: ['name', 'input'],
  },
  effects: [],
};
