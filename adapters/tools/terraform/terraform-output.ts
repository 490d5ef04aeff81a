import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { EXAMPLE_FILES } from './example.ts';
import {
  findConfiguration,
  hideSecrets,
  runTerraform,
  terraformFields,
  toFailure,
  toLine,
  toTerraformIntent,
} from './terraform.ts';

const outputsSchema = z.record(z.string(), z.object({ sensitive: z.boolean(), value: z.json() }));

export const terraformOutput = defineBuiltinTool({
  name: 'terraform_output',
  description: 'Show the output values of a Terraform configuration. Sensitive values are hidden.',
  input: z.object(terraformFields),
  deferred: true,
  effects: ['execute', 'network'],
  origin: 'channel',
  resume: 'tell',
  example: {
    files: {
      ...EXAMPLE_FILES,
      'terraform.tfstate': JSON.stringify({
        version: 4,
        outputs: {
          greeting: { value: 'hello', type: 'string' },
          key: { value: 'hidden', type: 'string', sensitive: true },
        },
      }),
    },
    program: 'terraform',
    input: {},
    output: 'greeting = "hello"\nkey = (sensitive)',
  },
  async prepare({ folder, network }, context) {
    const configuration = await findConfiguration(context, folder);
    const lines = [toLine(context, ['output', '-json', '-no-color'])];
    return toTerraformIntent(configuration, { title: 'terraform output', lines, network });
  },
  async run({ folder, network }, context, intent) {
    const line = intent.command!;
    const run = await runTerraform(context, await findConfiguration(context, folder), { line, network, quiet: true });
    const failed = toFailure(line, run);
    if (failed) return failed;
    const outputs = toOutputs(run.result.stdout);
    const lines = Object.entries(outputs).map(([name, value]) => `${name} = ${value}`);
    return { text: lines.length === 0 ? 'There are no outputs.' : hideSecrets(lines.join('\n')), detail: { outputs } };
  },
});

/** JSON by name, or `(sensitive)`. */
function toOutputs(json: string): Record<string, string> {
  try {
    const outputs = outputsSchema.parse(JSON.parse(json));
    return Object.fromEntries(
      Object.entries(outputs).map(([name, { sensitive, value }]) => [
        name,
        sensitive ? '(sensitive)' : JSON.stringify(value),
      ]),
    );
  } catch (cause) {
    throw toolFailed('The outputs could not be read.', { cause });
  }
}
