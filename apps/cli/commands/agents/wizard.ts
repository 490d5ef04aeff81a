import { agentNameSchema, BUNDLE_NAMES, describeCapability, type AgentDefinition } from '@klaus/sdk';
import type { Questions } from '../../prompt/questions.ts';

export type CompleteDraft = Partial<AgentDefinition> & Pick<AgentDefinition, 'name' | 'description' | 'systemPrompt'>;

/** Asks for the fields that a draft lacks. Undefined: the user cancelled. @param taken Names of other agents. */
export async function askDefinition(
  questions: Questions,
  draft: Partial<AgentDefinition>,
  taken: ReadonlySet<string>,
): Promise<CompleteDraft | undefined> {
  const name = draft.name ?? (await questions.text('Name', (text) => checkName(text, taken)));
  if (name === undefined) return undefined;
  const description =
    draft.description ??
    (await questions.text('Description (what it is for)', (text) =>
      text === '' ? 'A description is needed.' : undefined,
    ));
  if (description === undefined) return undefined;
  const { capabilities = await askCapabilities(questions, draft) } = draft;
  if (capabilities === undefined) return undefined;
  const systemPrompt = draft.systemPrompt ?? (await questions.text('System prompt, or Enter for none'));
  if (systemPrompt === undefined) return undefined;
  return { ...draft, name, description, capabilities, systemPrompt };
}

function checkName(name: string, taken: ReadonlySet<string>): string | undefined {
  if (taken.has(name)) return `There is an agent ${name} already.`;
  const { error } = agentNameSchema.safeParse(name);
  return error && `This cannot be a name: ${error.issues[0]!.message}.`;
}

async function askCapabilities(
  questions: Questions,
  { grants = [] }: Partial<AgentDefinition>,
): Promise<string[] | undefined> {
  if (grants.length > 0) return [];
  return await questions.selectMany(
    'Capabilities. Without one, it can only chat.',
    BUNDLE_NAMES.map((name) => ({ value: name, label: name, hint: describeCapability(name).join('; ') })),
  );
}
