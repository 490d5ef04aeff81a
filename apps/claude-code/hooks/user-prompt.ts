import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAllowed } from './allowed-calls.ts';
import { findExpansions } from './expansion/find-expansion.ts';
import type { HookContext } from './hook-context.ts';
import { type HookAnswer, NO_OBJECTION, toBlock } from './hook-answer.ts';
import { toClaudeFolder } from './install/settings-file.ts';
import { judgeCall } from './judge-call.ts';
import type { GuardFinding, JudgeContext } from './judge-context.ts';
import { judgeExpansion, judgeMentions } from './expansion/judge-expansion.ts';
import { toKey } from './call-key.ts';

/** Files whose text is in each conversation of a project, with the files that they mention. */
const MEMORY = ['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md', 'AGENTS.md'];
const MAX_BYTES = 256 * 1_024;

/**
 * Records a prompt, and blocks one with which a secret file, or a command that the gate asks about, would come into the
 * conversation: by a mention, a slash command, or the instructions of the project.
 */
export async function atPrompt(context: HookContext): Promise<HookAnswer> {
  const { event, session, root } = context;
  const prompt = event.prompt ?? '';
  await context.observed('prompt', prompt);
  const judging: JudgeContext = {
    ...context,
    cwd: event.cwd,
    wrote: { since: session.began, paths: session.wrote, fetched: session.fetched },
    sandbox: undefined,
  };
  const found = await judgePrompt(prompt, judging);
  if (found.verdict === 'allow') return NO_OBJECTION;
  const key = toKey([root, event.cwd, 'prompt', prompt]);
  if (await isAllowed(context, key)) return NO_OBJECTION;
  const { rule, reason } = found;
  const id = await context.decided({ text: prompt, verdict: 'deny', rule, reason, key });
  return toBlock(`Klaus: ${reason}. To allow it for an hour: klaus guard allow ${id}`);
}

async function judgePrompt(prompt: string, context: JudgeContext): Promise<GuardFinding> {
  const name = /^\s*\/([\w:.-]+)/.exec(prompt)?.[1];
  // A command of Claude Code itself has no file.
  if (name !== undefined && findExpansions(name, context).length > 0) {
    const found = await judgeExpansion(name, context, judgeCall);
    if (found.verdict !== 'allow') return found;
  }
  const mentioned = await judgeMentions(prompt, context, judgeCall);
  if (mentioned.verdict !== 'allow') return mentioned;
  for (const folder of [context.root, toClaudeFolder({ env: process.env })])
    for (const file of MEMORY) {
      const text = readText(join(folder, file));
      const found = text === undefined ? undefined : await judgeMentions(text, { ...context, cwd: folder }, judgeCall);
      if (found && found.verdict !== 'allow') return { ...found, reason: `${file}: ${found.reason}` };
    }
  return mentioned;
}

function readText(path: string): string | undefined {
  const state = lstatSync(path, { throwIfNoEntry: false });
  return state?.isFile() && state.size <= MAX_BYTES ? readFileSync(path, 'utf8') : undefined;
}
