import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  isNamedByPackage,
  namesPythonModule,
  planFetch,
  readPackageFacts,
  toPackageName,
  type FetchStep,
  type ReadProjectFile,
} from '@klaus/core/policy';
import { createProjectReader } from './project-files.ts';
import { ENVIRONMENTS } from './python.ts';

interface Pattern {
  tools: readonly string[];
  /** Its first group, if it has one, is the missing module. */
  pattern: RegExp;
  /** It means something else if the project has this file or folder. */
  without?: string;
  /** It means something else unless the project has this module among its dependencies, and it is not installed. */
  isLacking?: (project: Project, module: string) => boolean;
}

const NODE_TOOLS = ['npm', 'pnpm', 'yarn', 'bun'];
const PYTHON_TOOLS = ['uv', 'poetry', 'pip'];

/** What runtimes and package managers say of a dependency that is not there, by the tools that install it. */
const PATTERNS: readonly Pattern[] = [
  {
    tools: NODE_TOOLS,
    // A path is a file of the project itself.
    pattern: /Cannot find (?:module|package) ['"](?![./])([^'"\n]+)/g,
    isLacking: lacksPackage,
  },
  { tools: NODE_TOOLS, pattern: /node_modules missing|YN0028|ERR_PNPM_NO_OFFLINE/g },
  { tools: PYTHON_TOOLS, pattern: /No module named ['"]?(\w[\w.]*)/g, isLacking: lacksModule },
  { tools: PYTHON_TOOLS, pattern: /\.venv\/bin\/\S+: (?:not found|No such file)/g, without: '.venv/bin/python' },
  {
    tools: PYTHON_TOOLS,
    pattern: /PackageNotFoundError: No package metadata was found for (\S+)/g,
    isLacking: lacksModule,
  },
  // Packages of the machine have another version.
  { tools: PYTHON_TOOLS, without: '.venv', pattern: /ImportError: cannot import name/g },
  {
    // A package that go.mod does not name is not downloaded either.
    tools: ['go'],
    pattern:
      /(?<!no required module provides package \S{1,200}|cannot find module providing package \S{1,200}): module lookup disabled by GOPROXY=off/g,
  },
  {
    tools: ['cargo'],
    pattern:
      /attempting to make an HTTP request, but --offline|no matching package named|failed to (?:download|get) `/g,
  },
  {
    tools: ['mvn', 'gradle'],
    pattern:
      /in offline mode|Could not resolve (?:dependencies|all|plugin)|Non-resolvable|No cached version|Plugin \S+ or one of its dependencies could not be resolved/g,
  },
  { tools: ['composer'], pattern: /vendor\/autoload\.php/g, without: 'vendor/autoload.php' },
  {
    tools: ['bundle'],
    pattern: /Could not find .+ in (?:locally installed gems|any of the sources)|Bundler::GemNotFound/g,
  },
  { tools: ['dotnet'], pattern: /NU1101|NU1301|NETSDK1004/g },
];

/** Characters of a command that a hint contains. */
const MAX_COMMAND = 160;

/** The steps with which the tools of a project install its dependencies. */
export function planProjectFetch(root: string): FetchStep[] {
  return planFetch(new Map([['', readdirSync(root)]]), { read: createProjectReader(root) });
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
  const project = { root, read: createProjectReader(root) };
  const tools = PATTERNS.filter((row) => isFitting(row, text, project)).flatMap((row) => row.tools);
  if (program !== undefined && !isInstalled(root)) tools.push(...NODE_TOOLS);
  if (tools.length === 0) return undefined;
  const steps = planProjectFetch(root).filter(({ tool }) => tools.includes(tool));
  const download = steps.find(({ network }) => network);
  return download && { hint: toHint(download, steps), command: download.command };
}

interface Project {
  root: string;
  read: ReadProjectFile;
}

function isFitting({ pattern, without, isLacking }: Pattern, text: string, project: Project): boolean {
  if (without !== undefined && existsSync(join(project.root, without))) return false;
  const found = [...text.matchAll(pattern)];
  return isLacking ? found.some(([, module = '']) => isLacking(project, module)) : found.length > 0;
}

/** What package managers write at the end of an installation. */
const INSTALLED = ['node_modules/.package-lock.json', 'node_modules/.modules.yaml', 'node_modules/.yarn-integrity'];
const DESCRIPTIONS = ['package.json', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'];

/** True if everything was installed since the last change of the dependencies: another installation would change nothing. */
function isInstalled(root: string): boolean {
  const toTime = (name: string): number => lstatSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const installed = Math.max(...INSTALLED.map(toTime));
  return installed > 0 && DESCRIPTIONS.every((name) => toTime(name) <= installed);
}

/** True if the installation of the dependencies of package.json can bring a module. */
function lacksPackage({ root, read }: Project, module: string): boolean {
  if (isInstalled(root)) return false;
  const facts = readPackageFacts(read('package.json') ?? '');
  if (facts !== undefined && isNamedByPackage(facts, module)) {
    return !existsSync(join(root, 'node_modules', toPackageName(module)));
  }
  const isBare = !existsSync(join(root, 'node_modules')) && !existsSync(join(root, '.pnp.cjs'));
  return isBare && (facts === undefined || facts.hasDependencies);
}

/** Files that name the dependencies of a Python project. */
const REQUIREMENTS = /^(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|[\w-]*requirements[\w-]*\.txt)$/;

/** True if the installation of the dependencies of a Python project can bring a module. */
function lacksModule({ root, read }: Project, module: string): boolean {
  const environments = ENVIRONMENTS.map((name) => join(root, name)).filter((path) => existsSync(join(path, 'bin')));
  if (environments.length === 0) return true;
  if (environments.some((path) => hasDistribution(path, module))) return false;
  const files = readdirSync(root).filter((name) => REQUIREMENTS.test(name));
  return files.some((name) => namesPythonModule(read(name) ?? '', module));
}

/** True if an environment has a package of this name. */
function hasDistribution(environment: string, module: string): boolean {
  const toName = (text: string): string => text.toLowerCase().replaceAll(/[-_.]+/g, '-');
  const name = toName(module.split('.')[0] ?? '');
  const list = (path: string): string[] => (existsSync(path) ? readdirSync(path) : []);
  const lib = join(environment, 'lib');
  return list(lib).some((python) =>
    list(join(lib, python, 'site-packages')).some(
      (entry) => toName(entry.replace(/(?:-[^-]*)?\.dist-info$|\.py$/, '')) === name,
    ),
  );
}

function toHint(download: FetchStep, steps: readonly FetchStep[]): string {
  const { tool, command } = download;
  const then = steps.find((step) => step.tool === tool && !step.network);
  const call = !isShort(download)
    ? ''
    : ` Call run_command with network: true and this command: ${command}${then === undefined ? '' : ` (then, without a network: ${then.command})`}; this needs an approval.`;
  return `[The dependencies of this project are not installed.${call} The user can also install them with: klaus fetch]`;
}
