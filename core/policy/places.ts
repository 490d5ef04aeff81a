import { isBelow } from './path.ts';
import { isSecretFile } from './secrets/secret-files.ts';

export { matchesGlob } from './glob.ts';

/**
 * What a place in a workspace is to whoever runs it later.
 * - `git`: git's own data; hooks and configuration in it run on the user's next `git status`
 * - `klaus`: what configures Klaus itself
 * - `agent`: what configures, or instructs, an agent or an editor that runs it
 * - `startup`: files that a shell or a package manager reads when it starts
 * - `ci`: what a build server runs
 * - `secret`: files that hold credentials
 */
export type Place = 'git' | 'klaus' | 'agent' | 'startup' | 'ci' | 'secret';

const WORDS: Record<Place, string> = {
  git: "git's own data",
  klaus: "Klaus's own configuration",
  agent: 'the configuration of an agent or editor',
  startup: 'read by a shell or package manager when it starts',
  ci: 'run by the build server',
  secret: 'a secret file',
};

/** The place in words, to stand after "is". */
export function describePlace(place: Place): string {
  return WORDS[place];
}

const AGENT_FOLDERS = new Set([
  '.claude',
  '.codex',
  '.cursor',
  '.gemini',
  '.opencode',
  '.idea',
  '.continue',
  '.windsurf',
]);
/** What makes an agent or editor run programs, in a workspace's own folder: no command changes it. */
export const AGENT_CONFIGURATION: readonly string[] = [
  ...[...AGENT_FOLDERS].filter((name) => name !== '.idea'),
  '.mcp.json',
  '.vscode/tasks.json',
  '.vscode/settings.json',
  '.vscode/launch.json',
];

const AGENT_FILES = new Set([
  '.mcp.json',
  'agents.md',
  'claude.md',
  'gemini.md',
  '.cursorrules',
  '.windsurfrules',
  'copilot-instructions.md',
]);
const EDITOR_FILES = new Set(['tasks.json', 'settings.json', 'launch.json', 'extensions.json', 'mcp.json']);
const STARTUP_FILES = new Set([
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.envrc',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.inputrc',
  '.gitconfig',
  '.gitmodules',
  '.netrc',
  '.curlrc',
  '.wgetrc',
  '.ssh',
]);
const CI_FILES = new Set([
  '.gitlab-ci.yml',
  'jenkinsfile',
  'azure-pipelines.yml',
  '.travis.yml',
  'bitbucket-pipelines.yml',
  '.drone.yml',
  'appveyor.yml',
  'cloudbuild.yaml',
]);
const CI_FOLDERS = new Set(['.circleci', '.buildkite', '.husky', '.woodpecker']);

/**
 * What a path of a workspace is, by its name alone; undefined for an ordinary file. Secret files are
 * {@link isSecretPath}'s: a file can be both.
 *
 * @param relative Relative to the workspace, with forward slashes. Case is ignored, as some filesystems do.
 */
export function placeOf(relative: string): Exclude<Place, 'secret'> | undefined {
  const parts = relative
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const name = parts.at(-1) ?? '';
  if (parts.includes('.git')) return 'git';
  if (parts.includes('.klaus')) return 'klaus';
  if (parts.some((part) => AGENT_FOLDERS.has(part)) || AGENT_FILES.has(name)) return 'agent';
  if (parts.includes('.vscode') && (EDITOR_FILES.has(name) || name === '.vscode')) return 'agent';
  if (STARTUP_FILES.has(name)) return 'startup';
  if (CI_FILES.has(name) || parts.some((part) => CI_FOLDERS.has(part))) return 'ci';
  if (parts.includes('.github') && (parts.includes('workflows') || parts.includes('actions'))) return 'ci';
  return undefined;
}

/**
 * True for a file that by its name holds credentials; see {@link isSecretFile}.
 *
 * @param patterns Further globs of the user, relative to the workspace.
 */
export function isSecretPath(relative: string, patterns: readonly string[] = []): boolean {
  return isSecretFile(relative, patterns);
}

/** The part of an absolute path below the workspace; undefined when it is not below. */
export function toRelative(path: string, workspace: string): string | undefined {
  if (!isBelow(path, workspace)) return undefined;
  return path.slice(workspace === '/' ? 1 : workspace.length + 1);
}
