import { dirname, join, resolve } from 'node:path';
import { homedir } from 'node:os';
import { allow, type GuardFinding, type JudgeCall, type JudgeContext } from '../judge-context.ts';
import { type Expansion, findExpansions } from './find-expansion.ts';

/** A command in a skill or a command: `` !`git status` ``, or a block of lines after ```!. */
const COMMANDS = /!`([^`\n]+)`|^\s*```!\s*\n([^]*?)^\s*```/gm;
/** A file that is put into the conversation: `@src/a.ts`, `@~/notes.md`. */
const MENTIONS = /(?:^|[\s("'`,;:!])@((?:~|\.{1,2})?\/?[\w.~+-][\w./~+@-]*|"[^"\n]+")/g;
const HOOKS = /^---\r?\n(?:[^]*?\r?\n)?hooks\s*:[^]*?\r?\n---/;

const RANK = { allow: 0, ask: 1, deny: 2 } as const;

/**
 * Judges what a skill or a command runs and reads when Claude Code expands it, which no other event reports.
 *
 * @param name As the call or the prompt names it.
 */
export async function judgeExpansion(name: string, context: JudgeContext, judge: JudgeCall): Promise<GuardFinding> {
  const found = findExpansions(name, context);
  if (found.length === 0)
    return {
      verdict: 'ask',
      rule: 'skill',
      reason: `the guard does not find the file of ${name}, and cannot judge it`,
    };
  return worst(await Promise.all(found.map((each) => judgeText(each, context, judge))));
}

async function judgeText({ path, text }: Expansion, context: JudgeContext, judge: JudgeCall): Promise<GuardFinding> {
  const at = (finding: GuardFinding): GuardFinding => ({ ...finding, reason: `${path}: ${finding.reason}` });
  if (HOOKS.test(text)) return at({ verdict: 'ask', rule: 'skill', reason: 'it defines hooks, which run unseen' });
  const findings: GuardFinding[] = [];
  // They run on the machine, not in the sandbox.
  const onHost = { ...context, sandbox: undefined };
  for (const [, inline, block] of text.matchAll(COMMANDS)) {
    const command = toKnown(inline ?? block ?? '');
    findings.push(await judge({ kind: 'command', command }, onHost));
  }
  findings.push(
    await judgeMentions(text, { ...context, cwd: dirname(path) }, judge),
    await judgeMentions(text, context, judge),
  );
  return at(worst(findings));
}

/** Arguments of a command are only known when it runs. */
function toKnown(command: string): string {
  return command.replaceAll(/\$ARGUMENTS(?:\[\d+\])?|\$\d+\b/g, '"$UNKNOWN_ARGUMENT"');
}

/** Judges the files that a text mentions with `@`. */
export async function judgeMentions(text: string, context: JudgeContext, judge: JudgeCall): Promise<GuardFinding> {
  const findings: GuardFinding[] = [];
  const seen = new Set<string>();
  for (const [, mention = ''] of text.matchAll(MENTIONS)) {
    const plain = mention.replaceAll('"', '').replace(/[.,;:!?]+$/, '');
    const path = plain.startsWith('~') ? join(homedir(), plain.slice(1)) : resolve(context.cwd, plain);
    if (plain === '' || seen.has(path)) continue;
    seen.add(path);
    findings.push(await judge({ kind: 'read', path, reads: 'file' }, context));
  }
  return worst(findings);
}

function worst(findings: readonly GuardFinding[]): GuardFinding {
  const none = allow('skill', 'it runs nothing, and mentions no secret file');
  return findings.reduce((found, next) => (RANK[next.verdict] > RANK[found.verdict] ? next : found), none);
}
