import { agentNameSchema, BUNDLE_NAMES, describeCapability, type AgentDefinition, type Agents } from '@klaus/sdk';
import { createPaint } from '../../output/paint.ts';
import { err } from '../../output/sink.ts';
import { openKeyboard, type Keyboard } from '../../prompt/keyboard.ts';

/** Asks at the terminal for the fields that a draft lacks. Undefined: the user cancelled. */
export async function askDefinition(
  draft: Partial<AgentDefinition>,
  agents: Agents,
): Promise<AgentDefinition | undefined> {
  using keyboard = await openKeyboard();
  const taken = new Set((await agents.list()).agents.map(({ definition }) => definition.name));
  const name = draft.name ?? (await askLine(keyboard, 'Name: ', (text) => checkName(text, taken)));
  if (name === undefined) return undefined;
  const description =
    draft.description ??
    (await askLine(keyboard, 'Description (what it is for): ', (text) =>
      text === '' ? 'A description is needed.' : undefined,
    ));
  if (description === undefined) return undefined;
  const { capabilities = await askCapabilities(keyboard, draft) } = draft;
  if (capabilities === undefined) return undefined;
  const systemPrompt =
    draft.systemPrompt ?? (await askLine(keyboard, 'System prompt, or Enter for none: ', () => undefined));
  if (systemPrompt === undefined) return undefined;
  return { ...draft, name, description, capabilities, systemPrompt };
}

function checkName(name: string, taken: ReadonlySet<string>): string | undefined {
  if (taken.has(name)) return `There is an agent ${name} already.`;
  return agentNameSchema.safeParse(name).error?.issues[0]?.message;
}

/** A line without the spaces around it, asked for until `check` finds no problem. */
async function askLine(
  keyboard: Keyboard,
  question: string,
  check: (text: string) => string | undefined,
): Promise<string | undefined> {
  const paint = createPaint(err, false);
  for (;;) {
    const line = await keyboard.line(paint('bold', question));
    if (line === undefined || line === 'ctrl-c') return undefined;
    const problem = check(line.trim());
    if (problem === undefined) return line.trim();
    err.write(`${problem}\n`);
  }
}

async function askCapabilities(
  keyboard: Keyboard,
  { grants = [] }: Partial<AgentDefinition>,
): Promise<string[] | undefined> {
  const chosen: string[] = [];
  if (grants.length > 0) return chosen;
  err.write('Without a capability, the agent can only chat.\n');
  for (const name of BUNDLE_NAMES) {
    err.write(`  ${name}: ${describeCapability(name).join('; ')}. [y/n] `);
    const key = await askKey(keyboard);
    if (key === undefined) return undefined;
    if (key === 'y') chosen.push(name);
  }
  return chosen;
}

async function askKey(keyboard: Keyboard): Promise<'y' | 'n' | undefined> {
  for (;;) {
    const key = (await keyboard.key())?.toLowerCase();
    if (key === 'y' || key === 'n') {
      err.write(`${key}\n`);
      return key;
    }
    if (key === undefined || key === 'ctrl-c') {
      err.write('\n');
      return undefined;
    }
  }
}
