import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { EXAMPLE_FILES } from './example.ts';
import { hashConfiguration } from './plan-file.ts';
import {
  findConfiguration,
  hideSecrets,
  runTerraform,
  terraformFields,
  toFailure,
  toInside,
  toLine,
  toTerraformIntent,
  toVariableOptions,
  variableFields,
  type Configuration,
} from './terraform.ts';

export const terraformDestroy = defineBuiltinTool({
  name: 'terraform_destroy',
  description: 'Destroy everything that a Terraform configuration manages. The user is always asked.',
  input: z.object({ ...terraformFields, ...variableFields }),
  deferred: true,
  inPlace: true,
  effects: ['execute', 'network', 'deploy'],
  origin: 'channel',
  resume: 'tell',
  example: {
    files: EXAMPLE_FILES,
    program: 'terraform',
    before: [{ name: 'terraform_init', input: {} }],
    asks: true,
    input: {},
    output: 'Destroy complete! Resources: 0 destroyed',
  },
  async prepare({ folder, network, vars, varFile }, context) {
    const configuration = await findConfiguration(context, folder);
    const options = await toVariableOptions(context, configuration, { vars, varFile });
    const line = toLine(context, [
      'destroy',
      '-auto-approve',
      '-input=false',
      '-no-color',
      '-lock-timeout=30s',
      ...options,
    ]);
    const what = await describeState(context, configuration);
    const intent = toTerraformIntent(configuration, { title: `terraform destroy: ${what}`, lines: [line], network });
    return {
      ...intent,
      confirm: `it destroys infrastructure: ${what}`,
      content: await toContent(context, configuration),
    };
  },
  async run({ folder, network }, context, intent) {
    const configuration = await findConfiguration(context, folder);
    if ((await toContent(context, configuration)) !== intent.content)
      throw new KlausError(
        'workspace.conflict',
        'The configuration or its state changed after the approval. Nothing was destroyed.',
      );
    const line = intent.command!;
    const run = await runTerraform(context, configuration, { line, network });
    return toFailure(line, run) ?? { text: hideSecrets(run.text).trim() };
  },
});

const STATE = 'terraform.tfstate';
const MAX_SHOWN = 5;
const MAX_STATE = 20_000_000;

const stateSchema = z.object({
  resources: z.array(
    z.object({ mode: z.string(), type: z.string(), name: z.string(), instances: z.array(z.unknown()) }),
  ),
});

async function toContent(context: ToolContext, configuration: Configuration): Promise<string> {
  const state = await context.workspace.hash(toInside(configuration, STATE));
  return `${await hashConfiguration(context, configuration)} ${state ?? 'no local state'}`;
}

/** The resources of a local state, for the question. */
async function describeState({ workspace }: ToolContext, configuration: Configuration): Promise<string> {
  const path = toInside(configuration, STATE);
  if ((await workspace.stat(path))?.kind !== 'file') return 'everything in its state, which is not in the folder';
  const text = Buffer.from(await workspace.read(path, { maxBytes: MAX_STATE })).toString();
  const { data } = stateSchema.safeParse(parse(text));
  if (!data) return 'everything in its state, which could not be read';
  const managed = data.resources.filter(({ mode, instances }) => mode === 'managed' && instances.length > 0);
  const names = managed.map(({ type, name }) => `${type}.${name}`.replaceAll(/[^\w.-]/g, '?'));
  const more = names.length > MAX_SHOWN ? ', …' : '';
  const count = managed.reduce((sum, { instances }) => sum + instances.length, 0);
  return `${count} resource${count === 1 ? '' : 's'}${names.length > 0 ? `: ${names.slice(0, MAX_SHOWN).join(', ')}${more}` : ''}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
