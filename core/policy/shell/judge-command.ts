import type { Verdict } from '../../protocol/index.ts';
import type { NameComparison } from '../names/name-comparison.ts';
import { judgeCode } from './rules/code-rule.ts';
import { judgeComputed } from './rules/computed-rule.ts';
import { judgeDestruction } from './rules/destroy-rule.ts';
import { judgeEnvironment } from './rules/environment-rule.ts';
import { judgeGit } from './rules/git-rule.ts';
import { judgeNetwork } from './rules/network-rule.ts';
import { judgePackages } from './rules/package-rule.ts';
import { judgePlaces } from './rules/place-rule.ts';
import { judgePrivilege } from './rules/privilege-rule.ts';
import { evaluateCommand } from './interpreter/evaluate-command.ts';
import { renderEvaluation } from './evaluation.ts';
import type { CommandRule, ShellFinding } from './rules/command-rule.ts';
import { judgeSecrets } from './rules/secret-rule.ts';
import type { ShellContext } from './rules/target.ts';

export interface JudgeOptions {
  /** Absolute path. */
  workspace: string;
  /** Absolute path of the folder where the line runs; default: the workspace. */
  cwd?: string;
  /** Further globs of secret files, relative to the workspace. */
  secretPatterns?: readonly string[];
  /** How the file system of the workspace compares names. Default: `exact`. */
  names?: NameComparison;
  /** True if the command has no network: effects that would only fail are allowed. Default false. */
  isOffline?: boolean;
  /** True if the command reaches only hosts that are judged by themselves: effects that need them are allowed. Default false. */
  isLimited?: boolean;
}

export interface CommandVerdict {
  verdict: Verdict;
  /** Name of the rule that decided, such as `shell:destroy`; `shell` if none objects. */
  rule: string;
  reason: string;
  /** True for `deny` if the user may approve it in mode `ask`. */
  isForPerson?: boolean;
  /** The evaluated line, one simple command per line. */
  understood: string;
}

const COMMAND_RULES: readonly [name: string, rule: CommandRule][] = [
  ['destroy', judgeDestruction],
  ['secret', judgeSecrets],
  ['place', judgePlaces],
  ['git', judgeGit],
  ['network', judgeNetwork],
  ['packages', judgePackages],
  ['privilege', judgePrivilege],
  ['environment', judgeEnvironment],
  ['code', judgeCode],
  ['dynamic', judgeComputed],
];

function toContext(options: JudgeOptions): ShellContext {
  const { workspace, secretPatterns = [], isOffline = false, names = 'exact' } = options;
  return { workspace, secretPatterns, isOffline, names };
}

/** Why a command needs the network; undefined if none of its programs does. Never throws. */
export function findNetworkNeed(line: string, options: JudgeOptions): string | undefined {
  const context = toContext({ ...options, isOffline: false });
  try {
    for (const command of evaluateCommand(line, options).commands)
      for (const [, rule] of COMMAND_RULES) {
        const finding = rule(command, context);
        if (finding?.needs === 'network') return finding.reason;
      }
  } catch {
    // This is only a hint: the gate judges the line itself.
  }
  return undefined;
}

/**
 * Judges a command line for a sandbox in which only the workspace is writable: builds, tests, reads and edits are
 * allowed. Deny wins over ask, ask over allow. Never throws: a line on which it fails is asked about.
 */
export function judgeCommand(line: string, options: JudgeOptions): CommandVerdict {
  const evaluation = evaluateCommand(line, options);
  const context = toContext(options);
  const isAnswered = options.isOffline === true || options.isLimited === true;
  let found: Pick<CommandVerdict, 'verdict' | 'rule' | 'reason' | 'isForPerson'> | undefined;
  const note = (rule: string, { verdict, reason, isForPerson = false }: Omit<ShellFinding, 'needs'>) => {
    const isWorse = verdict === 'deny' && (found?.verdict === 'ask' || (found?.isForPerson === true && !isForPerson));
    if (!found || isWorse) found = { verdict, rule: `shell:${rule}`, reason, ...(isForPerson ? { isForPerson } : {}) };
  };
  try {
    for (const problem of evaluation.problems)
      note(problem.rule, { verdict: problem.rule === 'fork-bomb' ? 'deny' : 'ask', reason: problem.reason });
    for (const command of evaluation.commands) {
      for (const [name, rule] of COMMAND_RULES) {
        const finding = rule(command, context);
        const isHarmless = !finding?.worksOffline || (options.isLimited === true && finding.reinstalls === true);
        if (finding && !(isAnswered && finding.needs && isHarmless)) note(name, finding);
      }
    }
  } catch {
    note('unreadable', { verdict: 'ask', reason: 'the command could not be judged: a rule failed' });
  }
  return {
    ...(found ?? { verdict: 'allow', rule: 'shell', reason: 'it builds, tests, reads or edits in the workspace' }),
    understood: renderEvaluation(evaluation),
  };
}
