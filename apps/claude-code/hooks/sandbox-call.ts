import { join } from 'node:path';
import { evaluateCommand, findNetworkNeed, isBelow, singleQuote } from '@klaus/sdk/guard';
import { readJsonFile } from '../settings/json-file.ts';
import { toClaudeFolder, toSettingsFile } from './install/settings-file.ts';

/** A command of Claude Code, and where it would run. */
export interface CommandPlace {
  command: string;
  /** Absolute real path of the project. */
  root: string;
  /** Absolute real path. */
  cwd: string;
}

/** Commands that only have an effect in the shell of Claude Code. */
const OF_THE_SHELL = /^(?:cd|pushd|popd|pwd|export|unset|alias|umask|ulimit|jobs|wait|fg|bg)$/;

/**
 * True for a command that can run in the sandbox. Not: one that needs a network, one that changes the shell itself, one
 * outside the project, and one about which rules of the user decide, because Claude Code compares these with the changed
 * command.
 */
export function canRunInSandbox({ command, root, cwd }: CommandPlace): boolean {
  if (!isBelow(cwd, root)) return false;
  const options = { workspace: root, cwd };
  if (findNetworkNeed(command, options) !== undefined) return false;
  const { commands } = evaluateCommand(command, options);
  if (commands.length > 0 && commands.every(({ name }) => name === '' || OF_THE_SHELL.test(name))) return false;
  const names = new Set(commands.map(({ name }) => name));
  return !readRules(root).some((rule) => couldMatch(rule, { command, names }));
}

/** The command that runs another one in the sandbox. */
export function toSandboxed(program: string, { command, root, cwd }: CommandPlace): string {
  const line = cwd === root ? command : `cd ${singleQuote(cwd)} || exit\n${command}`;
  return [program, root, line].map(singleQuote).join(' ');
}

/**
 * The texts of the rules that deny or ask, in the settings of the user and of the machine: `Bash(git push:*)`. Those of a
 * project do not count: a cloned repository could keep commands out of the sandbox with them.
 */
function readRules(project: string): string[] {
  const { env } = process;
  const files = [
    ...(['user', 'managed'] as const).map((place) => toSettingsFile({ place, env, project })),
    join(toClaudeFolder({ env }), 'settings.local.json'),
  ];
  return files.flatMap((file) => {
    const { permissions } = readJsonFile(file).object as { permissions?: Partial<Record<'deny' | 'ask', unknown>> };
    return [permissions?.deny, permissions?.ask].flatMap((rules) =>
      Array.isArray(rules) ? rules.filter((rule): rule is string => typeof rule === 'string') : [],
    );
  });
}

/** True if the rule could be about the command: it names one of its programs, or begins with a pattern. */
function couldMatch(rule: string, { command, names }: { command: string; names: ReadonlySet<string> }): boolean {
  const [, pattern] = /^Bash(?:\(([^]*)\))?$/.exec(rule) ?? [];
  if (!rule.startsWith('Bash')) return false;
  if (pattern === undefined || pattern.startsWith('*')) return true;
  const first = pattern.split(/[\s:*(]/)[0] ?? '';
  return first === '' || names.has(first.slice(first.lastIndexOf('/') + 1)) || command.includes(first);
}
