import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { EXAMPLE_FILES } from './example.ts';
import { findPlanned, PLAN_FILE, readPlanId, type PlanId } from './plan-file.ts';
import {
  findConfiguration,
  hideSecrets,
  runTerraform,
  terraformFields,
  toFailure,
  toLine,
  toTerraformIntent,
} from './terraform.ts';

export const terraformApply = defineBuiltinTool({
  name: 'terraform_apply',
  description: 'Apply the plan that terraform_plan saved. The user approves exactly this plan.',
  input: z.object(terraformFields),
  deferred: true,
  inPlace: true,
  effects: ['execute', 'network', 'deploy'],
  origin: 'channel',
  resume: 'tell',
  example: {
    files: EXAMPLE_FILES,
    program: 'terraform',
    before: [
      { name: 'terraform_init', input: {} },
      { name: 'terraform_plan', input: {} },
    ],
    asks: true,
    input: {},
    output: 'Apply complete! Resources: 1 added',
  },
  async prepare({ folder, network }, context) {
    const configuration = await findConfiguration(context, folder);
    const id = await readPlanId(context, configuration);
    const counts = await findPlanned(context, id);
    const line = toLine(context, ['apply', '-input=false', '-no-color', '-lock-timeout=30s', PLAN_FILE]);
    const title = `terraform apply: ${counts} (plan ${id.plan})`;
    const intent = toTerraformIntent(configuration, { title, lines: [line], network });
    return { ...intent, confirm: `it changes infrastructure: ${counts}`, content: toContent(id) };
  },
  async run({ folder, network }, context, intent) {
    const configuration = await findConfiguration(context, folder);
    if (toContent(await readPlanId(context, configuration)) !== intent.content)
      throw new KlausError(
        'workspace.conflict',
        'The plan or the configuration changed after the approval. Nothing was applied.',
      );
    const line = intent.command!;
    const run = await runTerraform(context, configuration, { line, network });
    return toFailure(line, run) ?? { text: hideSecrets(run.text).trim() };
  },
});

function toContent({ plan, files }: PlanId): string {
  return `${plan} ${files}`;
}
