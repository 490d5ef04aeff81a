import { z } from 'zod';
import type { ResolvedPath, ToolContext } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { applyEdits, type FilePlan } from './file-plan.ts';
import { toFormattedIntent } from './format-plans.ts';
import { applyHunks, type FilePatch, type Hunk } from './hunk.ts';
import { parsePatch } from './patch.ts';
import { toLf } from './form/line-ends.ts';
import { toNewText } from './new-text.ts';
import { checkText, readTextFile } from './text-file.ts';

export const applyPatch = defineBuiltinTool({
  name: 'apply_patch',
  description:
    'Change several files at once, all or none: a "*** Begin Patch" text (Add File, Update File, Delete File, Move to, @@ context, End of File) or a unified diff.',
  input: z.object({ patch: z.string() }),
  effects: ['write'],
  resume: 'probe',
  example: {
    files: { 'sum.js': 'a - b\n' },
    input: { patch: '*** Begin Patch\n*** Update File: sum.js\n@@\n-a - b\n+a + b\n*** End Patch' },
    output: 'sum.js',
  },
  async prepare({ patch }, context) {
    checkText('patch', patch);
    const plans = new Map<string, FilePlan>();
    for (const part of parsePatch(patch)) await planPart(part, plans, context);
    const intent = await toFormattedIntent(context, 'patch', [...plans.values()]);
    if (intent.edits?.length === 0) throw toolFailed('The patch changes no file.');
    return intent;
  },
  run: (_input, context, intent) => applyEdits(context, intent),
});

async function planPart(part: FilePatch, plans: Map<string, FilePlan>, context: ToolContext): Promise<void> {
  const path = await context.workspace.resolve(part.path);
  const mode = part.mode === undefined ? {} : { mode: part.mode };
  if (part.kind === 'add') {
    const plan = await planNew(path, plans, context);
    const text = context.restoreSecrets(part.content ?? '', plan.before?.text ?? '');
    const { note: _, ...created } = await toNewText(context, path.relative, text);
    Object.assign(plan, plan.before ? { after: text } : created, mode);
    return;
  }
  const anyContent = part.kind === 'delete' && part.hunks.length === 0;
  const plan = await planExisting(path, plans, { context, anyContent });
  const patched = anyContent ? '' : applyHunks(path.relative, plan.after!, restore(part.hunks, plan, context));
  if (part.kind === 'delete') {
    if (patched !== '')
      throw toolFailed(`${path.relative} was not deleted: it has text that the patch does not remove.`);
    plan.after = null;
    return;
  }
  const target = part.moveTo === undefined ? path : await context.workspace.resolve(part.moveTo);
  if (target.absolute === path.absolute) {
    Object.assign(plan, { after: patched }, mode);
    return;
  }
  const moved = await planNew(target, plans, context);
  const old = part.mode ?? (await context.workspace.stat(part.path))?.mode;
  // A moved file keeps its line ends and encoding, which the plan of a new file does not have.
  moved.after = patched;
  if (plan.before) moved.form = plan.before;
  if (old !== undefined) moved.mode = old;
  plan.after = null;
}

async function planNew(
  path: ResolvedPath,
  plans: Map<string, FilePlan>,
  { workspace }: ToolContext,
): Promise<FilePlan> {
  const known = plans.get(path.absolute);
  if (known) {
    if (known.after !== null) throw toolFailed(`The patch creates ${path.relative} twice.`);
    return known;
  }
  if (await workspace.stat(path.relative)) {
    throw toolFailed(`${path.relative} already exists. Change it with *** Update File, or use write_file.`);
  }
  const plan: FilePlan = { path, before: null, after: null };
  plans.set(path.absolute, plan);
  return plan;
}

async function planExisting(
  path: ResolvedPath,
  plans: Map<string, FilePlan>,
  { context, anyContent }: { context: ToolContext; anyContent: boolean },
): Promise<FilePlan> {
  const known = plans.get(path.absolute);
  if (known?.after === null) throw toolFailed(`The patch deletes ${path.relative} before it changes it.`);
  if (known) return known;
  const plan = anyContent ? await planDeletion(path, context) : await planChange(path, context);
  plans.set(path.absolute, plan);
  return plan;
}

async function planChange(path: ResolvedPath, context: ToolContext): Promise<FilePlan> {
  const file = await readTextFile(context, path.relative);
  return { path, before: file, after: file.text };
}

async function planDeletion(path: ResolvedPath, context: ToolContext): Promise<FilePlan> {
  const hash = await context.workspace.hash(path.relative);
  if (hash === null) throw toolFailed(`${path.relative} does not exist.`);
  const file = await readTextFile(context, path.relative).catch(() => undefined);
  const before = { hash: file?.hash ?? hash, text: file?.text, encoding: 'utf-8' as const };
  return { path, before, after: null };
}

/** Replaces placeholders in the hunks by the secrets of the file. */
function restore(hunks: readonly Hunk[], plan: FilePlan, context: ToolContext): Hunk[] {
  const current = plan.before?.text ?? '';
  return hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => ({ ...line, text: toLf(context.restoreSecrets(line.text, current)) })),
  }));
}
