import { z } from 'zod';
import { decodeContent } from '@klaus/core/policy';
import type { ToolContext } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { applyEdits, toIntent, type FilePlan } from '../files/file-plan.ts';
import { MAX_FILE_BYTES, toHash } from '../files/text-file.ts';
import { toolFailed } from '../tool-failed.ts';
import { detectProject } from './infrastructure/project.ts';
import { toFiles } from './infrastructure/template.ts';
import { PROVIDERS, toTemplate } from './infrastructure/templates.ts';

export const generateInfrastructure = defineBuiltinTool({
  name: 'generate_infrastructure',
  description:
    'Write a Terraform configuration for this project: Next.js, static or React site, API, or Node.js program.',
  input: z.object({
    provider: z.enum(PROVIDERS),
    path: z.string().optional().describe('folder for the files; default: infrastructure'),
    project: z.string().optional().describe('folder of the project; default: the workspace'),
    overwrite: z.boolean().optional(),
  }),
  deferred: true,
  effects: ['read', 'write'],
  resume: 'probe',
  example: {
    files: { 'package.json': '{"name":"shop","dependencies":{"express":"5.0.0"}}' },
    input: { provider: 'aws' },
    output: 'infrastructure/main.tf',
  },
  async prepare({ provider, path = 'infrastructure', project: source = '.', overwrite = false }, context) {
    const { relative } = await context.workspace.resolve(source);
    const project = await detectProject(context, relative);
    const template = toTemplate(provider, project);
    const plans: FilePlan[] = [];
    for (const [name, text] of Object.entries(toFiles(template)))
      plans.push(await toPlan(context, { path: `${path}/${name}`, text, overwrite }));
    const intent = toIntent(`generate ${provider} infrastructure for a ${project.type} project:`, plans);
    return { ...intent, result: `${intent.result}\nProject type: ${project.type}. ${template.next}` };
  },
  run: (_input, context, intent) => applyEdits(context, intent),
});

async function toPlan(
  { workspace }: ToolContext,
  { path, text, overwrite }: { path: string; text: string; overwrite: boolean },
): Promise<FilePlan> {
  const resolved = await workspace.resolve(path);
  const state = await workspace.stat(path);
  if (!state) return { path: resolved, before: null, after: text };
  if (state.kind !== 'file') throw toolFailed(`${path} is no regular file.`);
  const bytes = await workspace.read(path, { maxBytes: MAX_FILE_BYTES });
  const old = decodeContent(bytes)?.text;
  if (old !== text && !overwrite)
    throw toolFailed(`${path} exists with other content.`, { hint: 'Give another path, or overwrite: true.' });
  return { path: resolved, before: { hash: toHash(bytes), text: old, encoding: 'utf-8' }, after: text };
}
