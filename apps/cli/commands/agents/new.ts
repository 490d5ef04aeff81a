import type { AgentDefinition, AgentTemplateName } from '@klaus/sdk';
import { optional } from '@klaus/sdk/optional';
import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { toShortPath } from '../../output/short-path.ts';
import { err, out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { hasKeyboard } from '../../prompt/keyboard.ts';
import { openQuestions } from '../../prompt/open-questions.ts';
import {
  addDefinitionOptions,
  addProject,
  checkName,
  type DefinitionOptions,
  templateOption,
  toFields,
} from './definition-options.ts';
import type { CompleteDraft } from './wizard.ts';

interface NewOptions extends DefinitionOptions {
  from?: AgentTemplateName;
  project?: true;
}

export const create: LeafCommand = {
  name: 'new',
  summary: 'create an agent; in a terminal, it asks for what the options do not say',
  examples: [
    'klaus agents new --from reviewer',
    'klaus agents new translator --description "Translates texts to German." --prompt "Translate the text."',
  ],
  footer: 'Without a capability, the agent can only chat.',
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
    const save = async ({ name: chosen, description, ...rest }: CompleteDraft) => {
      const definition = { name: chosen, description, version: '1.0', created: new Date().toISOString(), ...rest };
      const file = await agents.save(definition, { place: options.project ? 'project' : 'user' });
      return {
        file,
        authority: agents.describe(definition).lines.map(({ text }) => toPrintable(text)),
        next: `klaus run --agent ${chosen} "prompt"`,
      };
    };
    const complete = toComplete(draft);
    if (complete) {
      const { file, authority, next } = await save(complete);
      out.write(`Written to ${toPrintable(file)}.\n`);
      err.write(`${authority.map((line) => `  ${line}\n`).join('')}Start it with ${next}\n`);
      return EXIT.done;
    }
    checkTerminal(draft);
    const place = options.project ? 'project' : 'user';
    const others = (await agents.list()).agents.filter(({ from }) => from === place);
    const taken = new Set(others.map(({ definition }) => definition.name));
    // Refused before the user answers questions.
    if (name !== undefined && taken.has(name)) {
      throw new UsageError(
        `There is an agent ${name} already.`,
        `Choose another name, or change it with klaus agents edit ${name}.`,
      );
    }
    using questions = await openQuestions('New agent');
    const { askDefinition } = await import('./wizard.ts');
    const asked = await askDefinition(questions, draft, taken);
    if (asked === undefined) {
      questions.cancel('No agent was created.');
      return EXIT.interrupted;
    }
    const { file, authority, next } = await save(asked);
    const written = `Written to ${toPrintable(toShortPath(file))}.`;
    questions.end({ title: `Agent ${asked.name}`, lines: [written, '', ...authority], next: `Next: ${next}` });
    return EXIT.done;
  },
};

/** Undefined if a field is missing that has no default. */
function toComplete({ name, description, systemPrompt = '', ...rest }: Partial<AgentDefinition>) {
  return name === undefined || description === undefined ? undefined : { name, description, ...rest, systemPrompt };
}

/** @throws UsageError without a terminal. */
function checkTerminal({ name }: Partial<AgentDefinition>): void {
  if (hasKeyboard()) return;
  throw new UsageError(
    name === undefined ? 'The name of the agent is missing.' : 'The option --description is missing.',
    'Example: klaus agents new NAME --description "What it is for." See klaus agents new --help.',
  );
}
