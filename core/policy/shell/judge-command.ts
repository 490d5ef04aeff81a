import type { Verdict } from '../../protocol/index.ts';
import { judgeCode } from './rules/code-rule.ts';
import { judgeDestruction } from './rules/destroy-rule.ts';
import { judgeEnvironment } from './rules/environment-rule.ts';
import { judgeGit } from './rules/git-rule.ts';
import { judgeNetwork } from './rules/network-rule.ts';
import { judgePackages } from './rules/package-rule.ts';
import { judgePlaces } from './rules/place-rule.ts';
import { judgePrivilege } from './rules/privilege-rule.ts';
import { evaluateCommand } from './interpreter/evaluate-command.ts';
import { renderReading } from './reading.ts';
import type { CommandRule } from './rules/command-rule.ts';
import { judgeSecrets } from './rules/secret-rule.ts';
import type { ShellContext } from './rules/target.ts';

export interface JudgeOptions {
  /** Absolute path. */
  workspace: string;
  /** Absolute path of the folder where the line runs; default: the workspace. */
  cwd?: string;
  /** Further globs of secret files, relative to the workspace. */
  secretPatterns?: readonly string[];
  /** True where the command gets no network: what would only fail there passes. Default false. */
  isOffline?: boolean;
}

export interface CommandVerdict {
  verdict: Verdict;
  /** Name of the rule that decided, such as `shell:destroy`; `shell` where all let it pass. */
  rule: string;
  reason: string;
  /** The line as it was understood, one simple command a line. */
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
];

/** Why a command needs the network, where one of its programs does; undefined for others. Never throws. */
export function findNetworkNeed(line: string, options: JudgeOptions): string | undefined {
  const context: ShellContext = {
    workspace: options.workspace,
    secretPatterns: options.secretPatterns ?? [],
    isOffline: false,
  };
  try {
    for (const command of evaluateCommand(line, options).commands)
      for (const [, rule] of COMMAND_RULES) {
        const finding = rule(command, context);
        if (finding?.needs === 'network') return finding.reason;
      }
  } catch {
    // A hint is no judgement: the gate judges the line by itself.
  }
  return undefined;
}

/**
 * Judges a command line for a sandbox in which only the workspace can be written: what builds,
 * tests, reads or edits passes. Deny beats ask beats allow. Never throws: what breaks it is asked about.
 */
export function judgeCommand(line: string, options: JudgeOptions): CommandVerdict {
  const reading = evaluateCommand(line, options);
  const context: ShellContext = {
    workspace: options.workspace,
    secretPatterns: options.secretPatterns ?? [],
    isOffline: options.isOffline ?? false,
  };
  let found: { verdict: Verdict; rule: string; reason: string } | undefined;
  const note = (verdict: 'ask' | 'deny', rule: string, reason: string) => {
    if (!found || (verdict === 'deny' && found.verdict === 'ask')) found = { verdict, rule: `shell:${rule}`, reason };
  };
  try {
    for (const problem of reading.problems)
      note(problem.rule === 'fork-bomb' ? 'deny' : 'ask', problem.rule, problem.reason);
    for (const command of reading.commands) {
      for (const [name, rule] of COMMAND_RULES) {
        const finding = rule(command, context);
        if (finding && !(options.isOffline && finding.needs && !finding.worksOffline))
          note(finding.verdict, name, finding.reason);
      }
    }
  } catch {
    note('ask', 'unreadable', 'could not be understood: a rule failed');
  }
  const understood = renderReading(reading);
  return {
    ...(found ?? { verdict: 'allow', rule: 'shell', reason: 'it builds, tests, reads or edits in the workspace' }),
    understood,
  };
}
