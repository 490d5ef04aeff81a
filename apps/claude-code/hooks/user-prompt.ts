import { existsSync } from 'node:fs';
import { isAllowed } from './allowed-calls.ts';
import { findNamedFiles } from './expansion/find-named-files.ts';
import { isOwnCommand } from './expansion/own-commands.ts';
import { judgeInstructions } from './expansion/judge-instructions.ts';
import { judgeProject, toProjectHint } from './project/judge-project.ts';
import { type HookContext, toJudging } from './hook-context.ts';
import { type HookAnswer, NO_OBJECTION, toBlock } from './hook-answer.ts';
import { judgeCall } from './judge-call.ts';
import type { GuardFinding, JudgeContext } from './judge-context.ts';
import { judgeExpansion, judgeMentions } from './expansion/judge-expansion.ts';
import { toKey } from './call-key.ts';

/**
 * Records a prompt, and blocks one with which a secret file, or a command that the gate asks about, would come into the
 * conversation: by a mention, a slash command, or the instructions of the project.
 */
export async function atPrompt(context: HookContext): Promise<HookAnswer> {
  const { event, root } = context;
  const prompt = event.prompt ?? '';
  await context.observed('prompt', prompt);
  const judging = toJudging(context);
  const project = await judgeProject(context);
  if (project !== undefined && project.redirects.length > 0) {
    const { rule, key } = project;
    const reason = `settings of the project would send the conversation elsewhere (${project.redirects.join(', ')})`;
    const id = await context.decided({ text: prompt, verdict: 'deny', rule, reason, key });
    return toBlock(`Klaus: ${reason}. ${toProjectHint(id)}`);
  }
  const found = await judgePrompt(prompt, judging);
  const key = toKey([root, event.cwd, 'prompt', prompt]);
  if (found.verdict !== 'allow' && !(await isAllowed(context, key))) {
    const { rule, reason } = found;
    const id = await context.decided({ text: prompt, verdict: 'deny', rule, reason, key });
    return toBlock(`Klaus: ${reason}. To allow it for an hour: klaus guard allow ${id}`);
  }
  const instructions = await judgeInstructions(context, judging);
  if (instructions === undefined) return NO_OBJECTION;
  const id = await context.decided({ ...instructions, text: prompt, verdict: 'deny' });
  return toBlock(`Klaus: ${instructions.reason}. To allow it, until it changes: klaus guard allow ${id}`);
}

async function judgePrompt(prompt: string, context: JudgeContext): Promise<GuardFinding> {
  const name = /^\s*\/([\w:./-]+)/.exec(prompt)?.[1];
  // Without a file that the guard finds, it can be a path, or a command of an added folder.
  if (name !== undefined && (findNamedFiles('skill', name, context).length > 0 || isElsewhere(name))) {
    const found = await judgeExpansion(name, context, judgeCall);
    if (found.verdict !== 'allow') return found;
  }
  return judgeMentions(prompt, context, judgeCall);
}

/** True for a name that can be that of a command which the guard does not find. */
function isElsewhere(name: string): boolean {
  return !name.includes('/') && !isOwnCommand(name) && !existsSync(`/${name}`);
}
