import type { Access, Finding } from '../../protocol/index.ts';
import { withComparison, type NameComparison } from '../names/name-comparison.ts';
import { toRelative } from '../places.ts';
import type { CallFacts, Rule } from '../rule.ts';
import { matchCommand, showCommand, understand } from './match-command.ts';
import { matchesText } from '../glob.ts';
import { coversPath, findNamedPath, isAbove } from './match-path.ts';
import type { Policy, PolicyEntry } from './policy.ts';

type Look = Omit<Finding, 'rule'>;

export interface PolicyRuleOptions {
  /**
   * True where searches and commands cannot see what `toHiddenGlobs` names. Otherwise reading a folder asks when
   * something in it must not be read. Default false.
   */
  hidesDenied?: boolean;
}

/** The gate's rule for policy files. It denies and asks; it never allows. */
export function createPolicyRule(policy: Policy, options: PolicyRuleOptions = {}): Rule {
  const { hidesDenied = false } = options;
  return {
    name: 'policy',
    check: (call, { workspace, readable = [], names = 'exact' }) =>
      strongest(
        policy.entries.flatMap((entry) => lookAt(toCompared(entry, names), call, { workspace, readable, hidesDenied })),
      ),
    checkChange: (path, { names = 'exact' }) => lookAtChange(policy, path, names),
  };
}

/** The policy's verdict on a change of this path: for changes of a command on a layer. */
function lookAtChange(policy: Policy, relative: string, names: NameComparison): Look | undefined {
  return strongest(
    policy.entries.flatMap((each) => {
      const entry = toCompared(each, names);
      const isPath = entry.kind === 'read' || entry.kind === 'write';
      return isPath && coversPath(entry.globs, relative) ? [toLook(entry, `changing ${relative}`)] : [];
    }),
  );
}

function toCompared(entry: PolicyEntry, names: NameComparison): PolicyEntry {
  return names === 'exact' ? entry : { ...entry, globs: entry.globs.map((glob) => withComparison(glob, names)) };
}

function strongest(looks: readonly Look[]): Look | undefined {
  return looks.find(({ verdict }) => verdict === 'deny') ?? looks[0];
}

interface Surroundings {
  workspace: string;
  readable: readonly string[];
  hidesDenied: boolean;
}

function lookAt(entry: PolicyEntry, call: CallFacts, around: Surroundings): Look[] {
  const { kind, pattern } = entry;
  if (kind === 'tool') return matchesText(call.name, pattern) ? [toLook(entry, `the tool ${call.name}`)] : [];
  const files = kind === 'command' ? [] : call.access.flatMap((access) => lookAtFile(entry, access, around));
  const lines = call.access.flatMap((access) => (access.kind === 'exec' ? [access.command] : []));
  return [...files, ...lines.flatMap((line) => lookAtLine(entry, line, around))];
}

/** Its globs are relative to each folder that holds the file, as they are for what commands do not see. */
function lookAtFile(entry: PolicyEntry, access: Access, around: Surroundings): Look[] {
  if (access.kind !== 'fs' || (entry.kind === 'write' && access.right !== 'w')) return [];
  const { workspace, readable, hidesDenied } = around;
  const inside = toRelative(access.path, workspace);
  const name = inside === undefined ? access.path : inside || 'the workspace';
  const what = `${access.right === 'w' ? 'changing' : 'reading'} ${name}`;
  // A search of a folder reads its files.
  const isHidden = hidesDenied && entry.verdict === 'deny' && access.right === 'r';
  return [workspace, ...readable].flatMap((folder) => {
    const relative = toRelative(access.path, folder);
    if (relative === undefined) return [];
    if (coversPath(entry.globs, relative)) return toLook(entry, what);
    return !isHidden && isAbove(relative, entry.globs) ? toDoubt(entry, `${what}, which may hold`) : [];
  });
}

function lookAtLine(entry: PolicyEntry, line: string, { workspace, readable }: Surroundings): Look[] {
  const { kind, pattern, globs } = entry;
  const commands = understand(line, workspace);
  if (!commands) return [toDoubt(entry, 'a command that could not be evaluated, and may be')];
  return commands.flatMap((command) => {
    if (kind === 'command') {
      const match = matchCommand(pattern, command);
      const what = `the command ${showCommand(command)}`;
      if (match === 'certain') return [toLook(entry, what)];
      return match === 'possible' ? [toDoubt(entry, `${what}, which may be`)] : [];
    }
    const named =
      kind === 'tool' ? undefined : findNamedPath(command, { kind, globs, folders: [workspace, ...readable] });
    if (!named) return [];
    const what = `a command that names ${named.path}`;
    return [named.match === 'certain' ? toLook(entry, what) : toDoubt(entry, `${what}, which may be`)];
  });
}

function toLook(entry: PolicyEntry, what: string): Look {
  const verb = entry.verdict === 'deny' ? 'denies' : 'asks before';
  return { verdict: entry.verdict, reason: `the policy ${verb} ${what}${toWhy(entry)}` };
}

/** The rule may match: the user decides. */
function toDoubt(entry: PolicyEntry, what: string): Look {
  const verb = entry.verdict === 'deny' ? 'denies' : 'asks about';
  const meant = `${entry.kind} ${entry.pattern}`;
  return { verdict: 'ask', reason: `${what} what the policy ${verb} (${meant})${toWhy(entry)}` };
}

function toWhy({ reason, where }: PolicyEntry): string {
  return `${reason === undefined ? '' : `: ${reason}`} (${where})`;
}
