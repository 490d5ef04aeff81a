import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import type { ResolvedPath, ToolContext } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { carryOut } from './apply-edits.ts';
import type { FilePatch } from './file-patch.ts';
import { toIntent, type FilePlan } from './file-plan.ts';
import { applyHunks, type Hunk } from './hunk.ts';
import { parsePatch } from './patch.ts';
import { checkText, readTextFile, toLf } from './text-file.ts';

/** Applies a patch over several files. */
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
    const intent = toIntent('patch', [...plans.values()]);
    if (intent.edits?.length === 0) throw new KlausError('tool.failed', 'The patch leaves every file as it is.');
    return intent;
  },
  run: (_input, context, intent) => carryOut(context, intent),
});

async function planPart(part: FilePatch, plans: Map<string, FilePlan>, context: ToolContext): Promise<void> {
  const path = await context.workspace.resolve(part.path);
  const mode = part.mode === undefined ? {} : { mode: part.mode };
  if (part.kind === 'add') {
    const plan = await planNew(path, plans, context);
    plan.after = context.restoreSecrets(part.content ?? '', plan.before?.text ?? '');
    Object.assign(plan, mode);
    return;
  }
  const plan = await planExisting(path, plans, {
    context,
    anyContent: part.kind === 'delete' && part.hunks.length === 0,
  });
  if (part.kind === 'delete') {
    const left =
      part.hunks.length === 0 ? '' : applyHunks(path.relative, plan.after!, restore(part.hunks, plan, context));
    if (left !== '')
      throw new KlausError(
        'tool.failed',
        `${path.relative} was not deleted: it has more text than the patch takes away.`,
      );
    plan.after = null;
    return;
  }
  const text = applyHunks(path.relative, plan.after!, restore(part.hunks, plan, context));
  const target = part.moveTo === undefined ? path : await context.workspace.resolve(part.moveTo);
  if (target.absolute === path.absolute) {
    Object.assign(plan, { after: text }, mode);
    return;
  }
  const moved = await planNew(target, plans, context);
  const old = part.mode ?? (await context.workspace.stat(part.path))?.mode;
  // A moved file keeps its line ends and encoding: the new file's plan has none of its own.
  Object.assign(
    moved,
    { after: plan.before?.crlf ? text.replaceAll('\n', '\r\n') : text, encoding: plan.before?.encoding ?? 'utf-8' },
    old === undefined ? {} : { mode: old },
  );
  plan.after = null;
}

async function planNew(
  path: ResolvedPath,
  plans: Map<string, FilePlan>,
  { workspace }: ToolContext,
): Promise<FilePlan> {
  const known = plans.get(path.absolute);
  if (known) {
    if (known.after !== null) throw new KlausError('tool.failed', `The patch creates ${path.relative} twice.`);
    return known;
  }
  if (await workspace.stat(path.relative)) {
    throw new KlausError(
      'tool.failed',
      `${path.relative} exists already; change it with *** Update File, or use write_file.`,
    );
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
  if (known) {
    if (known.after === null)
      throw new KlausError('tool.failed', `The patch deletes ${path.relative} before it changes it.`);
    return known;
  }
  if (anyContent) {
    const hash = await context.workspace.hash(path.relative);
    if (hash === null) throw new KlausError('tool.failed', `${path.relative} does not exist.`);
    const file = await readTextFile(context.workspace, path.relative).catch(() => undefined);
    const plan: FilePlan = {
      path,
      before: { hash: file?.hash ?? hash, text: file?.text, crlf: false, encoding: 'utf-8' },
      after: null,
    };
    plans.set(path.absolute, plan);
    return plan;
  }
  const file = await readTextFile(context.workspace, path.relative);
  const plan: FilePlan = { path, before: file, after: file.text };
  plans.set(path.absolute, plan);
  return plan;
}

/** Hunks with the placeholders of the file's own secrets put back. */
function restore(hunks: readonly Hunk[], plan: FilePlan, context: ToolContext): Hunk[] {
  const current = plan.before?.text ?? '';
  return hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => ({ ...line, text: toLf(context.restoreSecrets(line.text, current)) })),
  }));
}
