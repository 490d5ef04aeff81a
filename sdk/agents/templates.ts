import type { AgentDefinition } from '@klaus/core/protocol';

/** What a definition starts with, and the least authority for its task. */
export type AgentTemplate = Omit<AgentDefinition, 'name'>;

export const AGENT_TEMPLATES = {
  orchestrator: {
    description: 'Plans work, gives its parts to other agents, and checks their results. Changes nothing itself.',
    grants: [
      'fs(., r) · spawn(1, 8) · tool(read_file) · tool(list_files) · tool(search_files) · tool(list_agents) · tool(spawn_agent) · tool(message_agent) · tool(wait_agents) · tool(list_children) · delegable: fs(., r) · tool(read_file) · tool(list_files) · tool(search_files)',
    ],
    allowedAgents: ['*'],
    systemPrompt: `Divide the task into parts that can be done independently. List the agents, choose one for each part,
and give it all that it needs to know: it does not see this conversation. Start agents that do not depend on each other
before you wait for them. Check each result against the files. Report what was done, by whom, and what is still open.`,
  },
  programmer: {
    description: 'Changes code and runs its checks.',
    capabilities: ['file-operations', 'code-execution'],
    systemPrompt: `Read the code that you change, and follow its style. Make the smallest change that completes the
task. Run the checks of the project after it. Report which files changed and the result of each check.`,
  },
  'context-engineer': {
    description: 'Reads the project and maintains its documentation.',
    grants: ['fs(., r) · fs(docs, w) · fs(README.md, w) · fs(AGENTS.md, w) · tool(*)'],
    systemPrompt: `Find what others need to know to work on this project, and write it into its documentation: README.md,
AGENTS.md and docs. Write only what the code shows, in short sentences. Remove what is no longer true.`,
  },
  reviewer: {
    description: 'Reads changes and reports problems. Changes nothing.',
    grants: ['fs(., r) · tool(read_file) · tool(list_files) · tool(search_files)'],
    systemPrompt: `Review the code that you are given. Look for errors, missing cases, unsafe effects and missing tests.
Report each problem with its file and line, what goes wrong, and how to fix it, the most serious first. Report problems
only if you have read the code that causes them.`,
  },
} as const satisfies Readonly<Record<string, AgentTemplate>>;

export type AgentTemplateName = keyof typeof AGENT_TEMPLATES;
