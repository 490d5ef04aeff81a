import { z } from 'zod';
import { run } from './event-fields.ts';

export const runnerNameSchema = z.enum(['acp', 'claude-code', 'wrap']);
/** The program that drives the agent of a session instead of Klaus's own loop. */
export type RunnerName = z.infer<typeof runnerNameSchema>;

/** True for the name that a session has in place of a model if another program drives its agent. */
export function isRunnerModel(model: string): boolean {
  return runnerNameSchema.options.some((name) => model.startsWith(`${name}/`));
}

/** Settings files of Claude Code: `~/.claude/settings.json`, and those of the project. */
export const settingSourceSchema = z.enum(['user', 'project', 'local']);

export const sessionRunnerSchema = z.object({
  name: runnerNameSchema,
  command: z.array(z.string()).min(1).describe('The program of the agent with its arguments.'),
  env: z.array(z.string()).optional().describe('Names of the variables of the user that the program gets.'),
  home: z.string().optional().describe('Absolute path of a folder whose files are copied into its home folder.'),
  model: z.string().optional().describe('A model by a name of the program, for `claude-code`.'),
  settingSources: z
    .array(settingSourceSchema)
    .optional()
    .describe('The settings files that Claude Code loads. Absent: none.'),
  mcpServers: z
    .array(z.string())
    .optional()
    .describe('Names of the servers in `.mcp.json` of the workspace that Claude Code starts.'),
});
export type SessionRunner = z.infer<typeof sessionRunnerSchema>;

export const runnerOpened = z
  .object({
    type: z.literal('runner.opened'),
    ...run,
    runner: runnerNameSchema,
    agent: z.string().describe('Name and version that the agent reported, or its program.'),
    agentSession: z.string().describe('The id that the agent gave its own session. A later process continues it.'),
    resumed: z.boolean().describe('True: the agent continues an earlier session and knows what was said in it.'),
  })
  .describe('The process of an agent that another program drives was started.');
