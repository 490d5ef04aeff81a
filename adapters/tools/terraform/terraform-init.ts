import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import {
  findConfiguration,
  hideSecrets,
  runTerraform,
  terraformFields,
  toFailure,
  toLine,
  toTerraformIntent,
} from './terraform.ts';
import { EXAMPLE_FILES } from './example.ts';

const input = z.object({
  ...terraformFields,
  pluginDir: z.string().optional().describe('folder with installed providers'),
  upgrade: z.boolean().optional(),
});

export const terraformInit = defineBuiltinTool({
  name: 'terraform_init',
  description: 'Initialize a Terraform configuration: its providers and modules.',
  input,
  deferred: true,
  inPlace: true,
  effects: ['execute', 'network'],
  origin: 'channel',
  resume: 'tell',
  example: { files: EXAMPLE_FILES, program: 'terraform', input: {}, output: 'initialized' },
  async prepare({ folder, network, pluginDir, upgrade = false }, context) {
    const configuration = await findConfiguration(context, folder);
    const plugins = pluginDir === undefined ? undefined : await context.find(pluginDir);
    if (plugins && (await plugins.folder.stat(plugins.relative))?.kind !== 'directory')
      throw toolFailed(`${pluginDir} is not a directory.`);
    const line = toLine(context, [
      ...['init', '-input=false', '-no-color'],
      ...(upgrade ? ['-upgrade'] : []),
      ...(plugins ? [`-plugin-dir=${plugins.absolute}`] : []),
    ]);
    const intent = toTerraformIntent(configuration, { title: 'terraform init', lines: [line], network });
    if (!plugins) return intent;
    return { ...intent, access: [...intent.access, { kind: 'fs', right: 'r', path: plugins.absolute }] };
  },
  async run({ folder, network }, context, intent) {
    const line = intent.command!;
    const run = await runTerraform(context, await findConfiguration(context, folder), { line, network });
    return toFailure(line, run) ?? { text: hideSecrets(run.text).trim() };
  },
});
