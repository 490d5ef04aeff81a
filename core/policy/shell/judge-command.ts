import type { Verdict } from '../../protocol/index.ts';
import { judgeCode } from './code-rule.ts';
import { judgeDestruction } from './destroy-rule.ts';
import { judgeEnvironment } from './environment-rule.ts';
import { judgeGit } from './git-rule.ts';
import { judgeNetwork } from './network-rule.ts';
import { judgePackages } from './package-rule.ts';
import { judgePlaces } from './place-rule.ts';
import { judgePrivilege } from './privilege-rule.ts';
import { readCommand } from './read-command.ts';
import { renderReading, type SimpleCommand } from './reading.ts';
import { judgeSecrets } from './secret-rule.ts';
import type { ShellContext } from './target.ts';

export interface JudgeOptions {
  /** Absolute path. */
  workspace: string;
  /** Absolute path of the folder where the line runs; default: the workspace. */
  cwd?: string;
  /** Further globs of secret files, relative to the workspace. */
  secretPatterns?: readonly string[];
}

/** What one look at a command found. */
export interface ShellFinding {
  verdict: Exclude<Verdict, 'allow'>;
  reason: string;
}

export interface CommandVerdict {
  verdict: Verdict;
  /** Name of the rule that decided, such as `shell:destroy`; `shell` where all let it pass. */
  rule: string;
  reason: string;
  /** The line as it was understood, one simple command a line. */
  understood: string;
}

type CommandRule = (command: SimpleCommand, context: ShellContext) => ShellFinding | undefined;

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

/**
 * Judges a command line for a sandbox without network in which only the workspace can be written: what builds,
 * tests, reads or edits passes. Deny beats ask beats allow. Never throws: what breaks it is asked about.
 */
export function judgeCommand(line: string, options: JudgeOptions): CommandVerdict {
  const reading = readCommand(line, options);
  const context: ShellContext = { workspace: options.workspace, secretPatterns: options.secretPatterns ?? [] };
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
        if (finding) note(finding.verdict, name, finding.reason);
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
