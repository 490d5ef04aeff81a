import { toNearest, type PolicyFile } from '../../protocol/index.ts';
import { matchesText } from '../glob.ts';
import type { PolicyKind } from './policy.ts';

/** An error in a policy file. */
export interface PolicyProblem {
  /** Keys and indexes from the top of the file, such as `['rules', 2, 'deny', 'tool']`. */
  at: readonly (string | number)[];
  message: string;
  hint?: string;
}

/** One target of one rule, with its position in the file. */
export interface PolicyTarget {
  verdict: 'ask' | 'deny';
  kind: PolicyKind;
  pattern: string;
  /** Index of the rule. */
  index: number;
}

const VERDICTS = ['deny', 'ask'] as const;
const KINDS = ['tool', 'read', 'write', 'command'] as const;

/**
 * The targets of a file's rules.
 *
 * @returns The first problem instead: a rule without or with several targets, and one that can never match.
 *   A rule that is believed to hold and does not is worse than none.
 * @param tools Names of all tools.
 */
export function readTargets(
  { rules = [], secrets = [] }: PolicyFile,
  tools: readonly string[],
): { targets: PolicyTarget[] } | { problem: PolicyProblem } {
  const targets: PolicyTarget[] = [];
  for (const [index, rule] of rules.entries()) {
    const at = ['rules', index];
    const verdicts = VERDICTS.filter((verdict) => rule[verdict]);
    const [verdict] = verdicts;
    if (verdict === undefined || verdicts.length > 1) {
      return { problem: { at, message: 'a rule says either `deny` or `ask`' } };
    }
    const kinds = KINDS.filter((kind) => rule[verdict]![kind] !== undefined);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) {
      const hint = 'Write one rule for each.';
      return { problem: { at: [...at, verdict], message: `\`${verdict}\` names one of ${KINDS.join(', ')}`, hint } };
    }
    const target = { verdict, kind, pattern: rule[verdict]![kind]!, index };
    const problem = checkTarget(target, tools) ?? findShadow(target, targets);
    if (problem) return { problem: { at: [...at, verdict, kind], ...problem } };
    targets.push(target);
  }
  for (const [index, pattern] of secrets.entries()) {
    const problem =
      checkGlob(pattern) ?? (secrets.indexOf(pattern) < index ? { message: 'it is listed twice' } : undefined);
    if (problem) return { problem: { at: ['secrets', index], ...problem } };
  }
  return { targets };
}

type Refusal = Omit<PolicyProblem, 'at'>;

function checkTarget({ kind, pattern }: PolicyTarget, tools: readonly string[]): Refusal | undefined {
  if (pattern.trim() === '') return { message: 'the pattern is empty, so it can never match' };
  if (kind === 'tool') return checkTool(pattern, tools);
  return kind === 'command' ? checkCommand(pattern) : checkGlob(pattern);
}

function checkTool(pattern: string, tools: readonly string[]): Refusal | undefined {
  if (tools.some((name) => matchesText(name, pattern))) return undefined;
  const near = toNearest(pattern, tools);
  const message = `there is no tool ${JSON.stringify(pattern)}, so it can never match`;
  return { message, hint: near === undefined ? `Tools: ${tools.join(', ')}.` : `Did you mean ${near}?` };
}

function checkCommand(pattern: string): Refusal | undefined {
  const operator = /[|&;<>()`$\n]/.exec(pattern)?.[0];
  if (operator !== undefined) {
    const message = `${JSON.stringify(operator)} is a shell operator: no simple command contains it, so it can never match`;
    return { message, hint: 'A command line is taken apart first; write one rule for each command.' };
  }
  if (/["'\\]/.test(pattern)) {
    const message = 'words are compared without quotes and backslashes, so it can never match';
    return { message, hint: 'Leave the quotes out; * matches any characters of a word.' };
  }
  if (pattern.trim().startsWith('-')) return { message: 'a command begins with its name, so it can never match' };
  if (/^\S+=/.test(pattern.trim())) {
    return { message: 'an assignment before a command is no part of its words, so it can never match' };
  }
  return undefined;
}

const RELATIVE = 'Patterns are relative to the workspace: `migrations/**`, `*.pem`.';

/** Paths are compared as they are normalised: relative, without `.`, `..` and empty parts. */
function checkGlob(pattern: string): Refusal | undefined {
  const never = (why: string, hint = RELATIVE): Refusal => ({ message: `${why}, so it can never match`, hint });
  if (pattern.trim() === '') return never('the pattern is empty');
  if (pattern !== pattern.trim()) return never('it begins or ends with white space');
  if (pattern.startsWith('/') || /^[A-Za-z]:[\\/]/.test(pattern))
    return never('an absolute path is not below the workspace');
  if (pattern.startsWith('~')) return never('`~` is not expanded');
  if (pattern.includes('\\')) return never('paths have forward slashes');
  if (/[\u0000-\u001f\u007f]/.test(pattern)) return never('it holds a control character');
  if (/\(\?i\)/.test(pattern))
    return never('`(?i)` is no part of a pattern', 'Case counts where the file system distinguishes it.');
  if (pattern.startsWith('!')) return never('`!` does not turn a pattern around');
  if (/\{[^{}]*,[^{}]*\}/.test(pattern)) return never('braces are not expanded', 'Write one rule for each.');
  const parts = pattern.split('/');
  if (parts.includes('..')) return never('`..` leaves the workspace or is folded away');
  if (parts.includes('.')) return never('a normalised path has no part `.`');
  if (pattern.endsWith('/'))
    return never('a path does not end with a slash', `Write ${pattern}** for what is in the folder.`);
  if (parts.includes('')) return never('a normalised path has no empty part');
  return undefined;
}

/** An earlier rule with the same target: only the stronger of the two has an effect. */
function findShadow(target: PolicyTarget, before: readonly PolicyTarget[]): Refusal | undefined {
  for (const other of before) {
    if (other.pattern !== target.pattern) continue;
    const same = other.kind === target.kind;
    if (same && other.verdict === target.verdict) return { message: `rule ${other.index + 1} says the same` };
    if (same) {
      const weaker = other.verdict === 'ask' ? `rule ${other.index + 1} asks about` : 'this asks about';
      return { message: `${weaker} what another rule denies, so one of them never decides`, hint: 'Keep one of them.' };
    }
    // A denied read also denies the write.
    const [read, write] = other.kind === 'read' ? [other, target] : [target, other];
    if (read.kind !== 'read' || write.kind !== 'write') continue;
    if (read.verdict === 'deny' || write.verdict === 'ask') {
      const message = `\`read\` covers changing too: the rule for write of the same files never decides`;
      return { message, hint: 'Keep the rule for read.' };
    }
  }
  return undefined;
}
