import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import type { ProgramRun } from '../shell/run-program.ts';
import { EXAMPLE_FILES } from './example.ts';
import { describeCounts, hashConfiguration, PLAN_FILE, readPlanId, toPlanHead, toSummary } from './plan-file.ts';
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
} from './terraform.ts';

const MAX_ROWS = 100;

const input = z.object({
  ...terraformFields,
  ...variableFields,
  destroy: z.boolean().optional().describe('plan to destroy everything'),
});

export const terraformPlan = defineBuiltinTool({
  name: 'terraform_plan',
  description: 'Show what Terraform would change, and save the plan for terraform_apply.',
  input,
  deferred: true,
  inPlace: true,
  effects: ['execute', 'network'],
  origin: 'channel',
  resume: 'tell',
  example: {
    files: EXAMPLE_FILES,
    program: 'terraform',
    before: [{ name: 'terraform_init', input: {} }],
    input: {},
    output: '1 to add, 0 to change, 0 to destroy',
  },
  async prepare({ folder, network, vars, varFile, destroy = false }, context) {
    const configuration = await findConfiguration(context, folder);
    const options = await toVariableOptions(context, configuration, { vars, varFile });
    const plan = toLine(context, [
      ...['plan', '-input=false', '-no-color', '-lock-timeout=30s', `-out=${PLAN_FILE}`],
      ...(destroy ? ['-destroy'] : []),
      ...options,
    ]);
    const title = destroy ? 'terraform plan -destroy' : 'terraform plan';
    // `terraform init` creates the folder only for providers that it installs.
    const hasFolder = (await context.workspace.stat(toInside(configuration, '.terraform')))?.kind === 'directory';
    const lines = [...(hasFolder ? [] : ['mkdir .terraform']), plan, toLine(context, ['show', '-json', PLAN_FILE])];
    return toTerraformIntent(configuration, { title, lines, network });
  },
  async run({ folder, network }, context, intent) {
    const configuration = await findConfiguration(context, folder);
    const lines = intent.access.flatMap((access) => (access.kind === 'exec' ? access.command : []));
    const show = lines.pop()!;
    const before = await hashConfiguration(context, configuration);
    let planned: ProgramRun | undefined;
    for (const line of lines) {
      planned = await runTerraform(context, configuration, { line, network });
      const failed = toFailure(line, planned);
      if (failed) return failed;
    }
    const shown = await runTerraform(context, configuration, { line: show, network, quiet: true });
    const unread = toFailure(show, shown);
    if (unread) return unread;
    const { text = '', blob } = planned ?? {};
    const summary = toSummary(shown.result.stdout);
    const id = await readPlanId(context, configuration);
    if (id.files !== before) throw new KlausError('workspace.conflict', 'The configuration changed during the plan.');
    const counts = describeCounts(summary);
    const rows = summary.rows.slice(0, MAX_ROWS);
    if (summary.rows.length > MAX_ROWS) rows.push(`[… ${summary.rows.length - MAX_ROWS} more …]`);
    const { add, change, destroy } = summary;
    return {
      text: [toPlanHead(id, counts), ...rows, '', hideSecrets(text).trim()].join('\n'),
      detail: { ...id, add, change, destroy },
      blob,
    };
  },
});
