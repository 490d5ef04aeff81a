import type { AgentDefinition, AgentTemplateName } from '@klaus/sdk';
import { optional } from '@klaus/sdk/optional';
import { type Command, Option } from 'commander';
import { UsageError } from '../../program/cli-error.ts';
import { repeatable } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { readStdin } from '../../prompt/prompt-input.ts';

export interface DefinitionOptions extends Options {
  description?: string;
  capability?: readonly string[];
}

const TEMPLATES: Readonly<Record<AgentTemplateName, true>> = {
  orchestrator: true,
  programmer: true,
  'context-engineer': true,
  reviewer: true,
};

export const templateOption = new Option(
  '--from <template>',
  'a template with the least authority for its task',
).choices(Object.keys(TEMPLATES));

/** Options for the fields of a definition. */
export function addDefinitionOptions(command: Command): Command {
  return command
    .option('--description <text>', 'what the agent is for')
    .option(
      '--capability <name>',
      'such as file-operations or code-execution; none for no capability; repeatable (docs/agents.md)',
      repeatable(),
    )
    .option('--grant <text>', 'further authority, such as "fs(docs, rw)"; repeatable (klaus help grants)', repeatable())
    .option('-m, --model <name>', 'its model (default: that of the session)')
    .option('--prompt <text>', 'its system prompt; - reads it from standard input');
}

export function addProject(command: Command): Command {
  return command.option('-C, --cwd <folder>', 'the project (default: this folder)');
}

/** The fields that the options set. @throws UsageError if the prompt is missing on standard input. */
export async function toFields(options: DefinitionOptions): Promise<Partial<AgentDefinition>> {
  const { description, capability, grant, model, prompt } = options;
  return optional({
    description,
    capabilities: capability?.filter((name) => name !== 'none'),
    grants: grant === undefined ? undefined : [...grant],
    model,
    systemPrompt: prompt === '-' ? await readText() : prompt,
  });
}

/** Standard input as text. @throws UsageError without one. */
export async function readText(): Promise<string> {
  const bytes = await readStdin();
  if (bytes === undefined) {
    throw new UsageError('Standard input is a terminal or closed.', 'Pipe the text to it, as in … < file.');
  }
  return new TextDecoder().decode(bytes).replace(/\r?\n$/, '');
}

/** @throws UsageError for a name that an agent cannot have. */
export async function checkName(name: string): Promise<string> {
  const { agentNameSchema } = await import('@klaus/sdk');
  const parsed = agentNameSchema.safeParse(name);
  if (parsed.success) return name;
  throw new UsageError(
    `${JSON.stringify(name)} cannot be the name of an agent: ${parsed.error.issues[0]!.message}.`,
    'Choose a name such as code-reviewer.',
  );
}
