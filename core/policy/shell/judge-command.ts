import type { Verdict } from '../../protocol/index.ts';
import { isBelow } from '../path.ts';
import type { NameComparison } from '../names/name-comparison.ts';
import { HOST_RULES, OF_WRITTEN_TEXTS, runsCode } from './host/host-rules.ts';
import type { HostFacts } from './host/host-facts.ts';
import { onlyReadsRemote } from './host/remote-reads.ts';
import { scanCode, scanCommandFile } from './host/scan-code.ts';
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
import { renderEvaluation, type CommandEvaluation, type SimpleCommand } from './evaluation.ts';
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
  /** What is known of the machine, for a command without a sandbox: the scripts that it runs are judged with it. */
  host?: HostFacts;
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

/** Rules whose finding can be that a command reaches another machine. */
const REMOTE_RULES: ReadonlySet<string> = new Set(['network', 'packages', 'git']);

type Noted = Pick<CommandVerdict, 'verdict' | 'rule' | 'reason' | 'isForPerson'>;
type Note = (rule: string, finding: Omit<ShellFinding, 'needs'>) => void;

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
  const { workspace, secretPatterns = [], isOffline = false, names = 'exact', host } = options;
  return {
    workspace,
    secretPatterns,
    isOffline,
    names,
    ...(host ? { host } : {}),
  };
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
 * Judges a command line for a place in which only the workspace should change: builds, tests, reads and edits are
 * allowed. Deny wins over ask, ask over allow. Never throws: a line on which it fails is asked about.
 */
export function judgeCommand(line: string, options: JudgeOptions): CommandVerdict {
  let found: Noted | undefined;
  const note: Note = (rule, { verdict, reason, isForPerson = false }) => {
    const isWorse = verdict === 'deny' && (found?.verdict === 'ask' || (found?.isForPerson === true && !isForPerson));
    if (!found || isWorse)
      found = {
        verdict,
        rule: `shell:${rule}`,
        reason,
        ...(isForPerson ? { isForPerson } : {}),
      };
  };
  const { host } = options;
  const files = host && new Map([...host.files].filter(([path]) => host.written.has(path)));
  const evaluation = evaluateCommand(line, { ...options, files });
  try {
    judgeEvaluation(evaluation, options, note);
    if (host) judgeTexts(line, { ...options, host }, { evaluation, note });
  } catch {
    note('unreadable', {
      verdict: 'ask',
      reason: 'the command could not be judged: a rule failed',
    });
  }
  return {
    ...(found ?? {
      verdict: 'allow',
      rule: 'shell',
      reason: 'it builds, tests, reads or edits in the workspace',
    }),
    understood: renderEvaluation(evaluation),
  };
}

function judgeEvaluation(evaluation: CommandEvaluation, options: JudgeOptions, note: Note): void {
  const context = toContext(options);
  const isAnswered = options.isOffline === true || options.isLimited === true;
  for (const problem of evaluation.problems)
    note(problem.rule, {
      verdict: problem.rule === 'fork-bomb' ? 'deny' : 'ask',
      reason: problem.reason,
    });
  for (const command of evaluation.commands) {
    for (const [name, rule] of COMMAND_RULES) {
      const finding = rule(command, context);
      if (options.host && isRead(name, finding, { command, host: options.host })) continue;
      const isHarmless = !finding?.worksOffline || (options.isLimited === true && finding.reinstalls === true);
      if (finding && !(isAnswered && finding.needs && isHarmless)) note(name, finding);
    }
    for (const [name, rule] of options.host ? HOST_RULES : []) {
      const finding = rule(command, options.host!);
      if (finding) note(name, finding);
    }
  }
}

/** True for a finding that a command reaches another machine, from which it only reads. */
function isRead(
  rule: string,
  finding: ShellFinding | undefined,
  { command, host }: { command: SimpleCommand; host: HostFacts },
): boolean {
  if (finding === undefined || !REMOTE_RULES.has(rule)) return false;
  return (finding.needs === 'network' || rule === 'network' || rule === 'packages') && onlyReadsRemote(command, host);
}

type OnHost = JudgeOptions & { host: HostFacts };

/** Judges what the line runs in addition to its own words: scripts, and code that the session wrote. */
function judgeTexts(
  line: string,
  options: OnHost,
  { evaluation, note }: { evaluation: CommandEvaluation; note: Note },
): void {
  const { host } = options;
  const inner = { ...options, host: { ...host, scripts: [] } };
  // Of scripts that the session did not write, only what they do for certain counts.
  if (host.files.size > host.written.size) judgeCertain(line, { options, files: host.files, note });
  for (const script of host.scripts) {
    const at = { ...inner, cwd: script.cwd };
    const noteScript: Note = (rule, finding) => note(rule, { ...finding, reason: `${script.name}: ${finding.reason}` });
    if (!script.isWritten)
      judgeCertain(script.line, {
        options: at,
        files: host.files,
        note: noteScript,
      });
    else {
      const { verdict, rule, reason } = judgeCommand(script.line, at);
      if (verdict !== 'allow') noteScript(rule.replace(/^shell:/, ''), { verdict, reason });
    }
  }
  if (!runsCode(evaluation)) return;
  const runs = [...host.files.keys(), ...host.scripts.map(({ cwd }) => cwd)];
  const fetched = runs.find((path) => [...host.fetched].some((each) => isBelow(path, each)));
  if (fetched !== undefined)
    note('remote', { verdict: 'ask', reason: `it runs ${fetched}, which was fetched from elsewhere` });
  // A text of code may start programs: they are judged without the files, which are judged here.
  const alone = {
    ...options,
    host: {
      ...host,
      scripts: [],
      files: new Map<string, string>(),
      code: new Map<string, string>(),
    },
  };
  const judgeLine = (text: string): string | undefined => {
    const found: Noted[] = [];
    judgeCertain(text, {
      options: alone,
      files: new Map(),
      note: (rule, finding) => found.push({ rule, ...finding }),
    });
    return found[0]?.reason;
  };
  const texts = new Map([...host.code, ...[...host.files].filter(([path]) => host.written.has(path))]);
  for (const [path, text] of texts) {
    const reason = scanCode(text, host, judgeLine) ?? scanCommandFile(path, text, judgeLine);
    if (reason !== undefined) note('script', { verdict: 'ask', reason: `${path}: ${reason}` });
  }
}

/**
 * Judges a line by what is known of it: not by what only shows at run time, and only if the session wrote something of it,
 * by the way in which it is written.
 */
function judgeCertain(
  line: string,
  {
    options,
    files,
    note,
    isStrict = options.host.written.size > 0,
  }: { options: OnHost; files: ReadonlyMap<string, string>; note: Note; isStrict?: boolean },
): void {
  const context = toContext(options);
  const evaluation = evaluateCommand(line, { ...options, files });
  for (const { rule, reason } of evaluation.problems)
    if (rule === 'downloaded') note(rule, { verdict: 'ask', reason });
    else if (rule === 'fork-bomb') note(rule, { verdict: 'deny', reason });
  for (const command of evaluation.commands) {
    for (const [name, rule] of [
      ...COMMAND_RULES,
      ...HOST_RULES.map(([name, rule]) => [name, (one: typeof command) => rule(one, options.host)] as const),
    ]) {
      if (!isStrict && OF_WRITTEN_TEXTS.has(name)) continue;
      const finding = rule(command, context);
      if (isRead(name, finding, { command, host: options.host })) continue;
      // Installing what a lock file names is what scripts of a project are for.
      if (finding && !finding.isUnknown && finding.reinstalls !== true) note(name, finding);
    }
  }
}
