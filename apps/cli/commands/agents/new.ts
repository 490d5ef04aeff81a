import type { AgentDefinition, Agents, AgentTemplateName } from '@klaus/sdk';
import { optional } from '@klaus/sdk/optional';
import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { hasKeyboard } from '../../prompt/keyboard.ts';
import {
  addDefinitionOptions,
  addProject,
  checkName,
  type DefinitionOptions,
  templateOption,
  toFields,
} from './definition-options.ts';

interface NewOptions extends DefinitionOptions {
  from?: AgentTemplateName;
  project?: true;
}

export const create: LeafCommand = {
  name: 'new',
  summary: 'create an agent; in a terminal, it asks for what the options do not say',
  footer: `Without a capability, the agent can only chat.

Examples:
  klaus agents new --from reviewer
  klaus agents new translator --description "Translates texts to German." --prompt "Translate the text."`,
  server: 'local',
  declare: (declared) =>
    addProject(
      addDefinitionOptions(
        declared
          .argument('[name]', 'its name: lower-case letters, digits and hyphens (default: that of the template)')
          .addOption(templateOption),
      ).option('--project', 'save it in the project (.klaus/agents), for everyone who works on it'),
    ),
  async run(given: string | undefined, options: NewOptions) {
    const name = given ?? options.from;
    if (name !== undefined) await checkName(name);
    await using klaus = await openKlaus({ cwd: options.cwd });
    const agents = klaus.agents();
    const { AGENT_TEMPLATES } = await import('@klaus/sdk');
    const template = options.from && AGENT_TEMPLATES[options.from];
    const draft: Partial<AgentDefinition> = { ...optional({ name }), ...template, ...(await toFields(options)) };
    const complete = await complement(draft, agents);
    if (complete === undefined) {
      err.write('No agent was created.\n');
      return EXIT.interrupted;
    }
    const { name: chosen, description, ...rest } = complete;
    const definition = { name: chosen, description, version: '1.0', created: new Date().toISOString(), ...rest };
    const file = await agents.save(definition, { place: options.project ? 'project' : 'user' });
    out.write(`Written to ${toPrintable(file)}.\n`);
    const lines = agents.describe(definition).lines.map(({ text }) => `  ${toPrintable(text)}\n`);
    err.write(`${lines.join('')}Start it with klaus run --agent ${chosen} "prompt"\n`);
    return EXIT.done;
  },
};

/** Asks for missing fields. Undefined: the user cancelled. @throws UsageError without a terminal. */
async function complement(draft: Partial<AgentDefinition>, agents: Agents): Promise<AgentDefinition | undefined> {
  const { name, description, systemPrompt = '', ...rest } = draft;
  if (name !== undefined && description !== undefined) return { name, description, ...rest, systemPrompt };
  if (hasKeyboard()) return (await import('./wizard.ts')).askDefinition(draft, agents);
  throw new UsageError(
    name === undefined ? 'The name of the agent is missing.' : 'The option --description is missing.',
    'Example: klaus agents new NAME --description "What it is for." See klaus agents new --help.',
  );
}
