import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { planFetch, type FetchStep } from '@klaus/core/policy';

/**
 * What runtimes and package managers say of a dependency that is not there, by the tools that install it. `without`: it means
 * something else if the project has this folder.
 */
const PATTERNS: readonly { tools: readonly string[]; pattern: RegExp; without?: string }[] = [
  {
    tools: ['npm', 'pnpm', 'yarn', 'bun'],
    // A path is a file of the project itself.
    pattern: /Cannot find (?:module|package) ['"](?![./])|node_modules missing|YN0028|ERR_PNPM_NO_OFFLINE/,
  },
  {
    tools: ['uv', 'poetry', 'pip'],
    pattern: /No module named ['"]?\w|\.venv\/bin\/\S+: (?:not found|No such file)|PackageNotFoundError/,
  },
  // Packages of the machine have another version.
  { tools: ['uv', 'poetry', 'pip'], without: '.venv', pattern: /ImportError: cannot import name/ },
  {
    tools: ['go'],
    pattern: /module lookup disabled by GOPROXY=off|no required module provides package|missing go\.sum entry/,
  },
  {
    tools: ['cargo'],
    pattern: /attempting to make an HTTP request, but --offline|no matching package named|failed to (?:download|get) `/,
  },
  {
    tools: ['mvn', 'gradle'],
    pattern:
      /in offline mode|Could not resolve (?:dependencies|all|plugin)|Non-resolvable|No cached version|Plugin \S+ or one of its dependencies could not be resolved/,
  },
  { tools: ['composer'], pattern: /vendor\/autoload\.php/ },
  {
    tools: ['bundle'],
    pattern: /Could not find .+ in (?:locally installed gems|any of the sources)|Bundler::GemNotFound/,
  },
  { tools: ['dotnet'], pattern: /NU1101|NU1301|NETSDK1004/ },
];

/** Characters of a command that a hint contains. */
const MAX_COMMAND = 160;

/** The steps with which the tools of a project install its dependencies. */
export function planProjectFetch(root: string): FetchStep[] {
  return planFetch(new Map([['', readdirSync(root)]]));
}

/** True if a hint can contain the command of a step. */
export function isShort({ command }: FetchStep): boolean {
  return command.length <= MAX_COMMAND;
}

/** How to install the dependencies of a project. */
export interface Uninstalled {
  /** For the model and the user, in brackets. */
  hint: string;
  /** The command that downloads them. */
  command: string;
}

/**
 * Finds out whether a command failed because dependencies of the project are not installed, and how its own tool installs
 * them.
 *
 * @param text The output of the command.
 * @param program A program that was not found, and is a dependency of the project's package.json.
 */
export function findUninstalled(root: string, text: string, program?: string): Uninstalled | undefined {
  const fitting = PATTERNS.filter(
    ({ pattern, without }) => pattern.test(text) && (without === undefined || !existsSync(join(root, without))),
  );
  const tools = fitting.flatMap((row) => row.tools);
  if (program !== undefined) tools.push(...PATTERNS[0]!.tools);
  if (tools.length === 0) return undefined;
  const steps = planProjectFetch(root).filter(({ tool }) => tools.includes(tool));
  const download = steps.find(({ network }) => network);
  return download && { hint: toHint(download, steps), command: download.command };
}

function toHint(download: FetchStep, steps: readonly FetchStep[]): string {
  const { tool, command } = download;
  const then = steps.find((step) => step.tool === tool && !step.network);
  const call = !isShort(download)
    ? ''
    : ` Call run_command with network: true and this command: ${command}${then === undefined ? '' : ` (then, without a network: ${then.command})`}; this needs an approval.`;
  return `[The dependencies of this project are not installed.${call} The user can also install them with: klaus fetch]`;
}
