import { words } from '../../words.ts';

/** A program that keeps several versions of toolchains in one folder and chooses one for each command. */
export interface VersionManager {
  name: string;
  /** The variable with its folder. Commands always get it: the manager would otherwise search HOME, which differs. */
  variable: string;
  /** Its default folder, relative to the user's home. Empty without a default. */
  folder: string;
  parts: readonly string[];
  /** Patterns of environments in its folder; `*` matches one name. */
  environments: readonly string[];
  /** Settings that it reads from the home folder, as relative paths. */
  homeFiles?: readonly string[];
  /** Settings in a separate folder: the variable with its path, the default, and the files in it. */
  settings?: { variable: string; folder: string; files: readonly string[] };
  /** Files that choose a version, in the working folder and in every folder above. */
  choices: readonly string[];
}

/**
 * Managers whose programs start others from their folder: it is shown completely or not at all.
 *
 * @source https://github.com/pyenv/pyenv#how-it-works, https://github.com/rbenv/rbenv#how-it-works,
 * https://asdf-vm.com/manage/configuration.html, https://mise.jdx.dev/configuration.html,
 * https://docs.volta.sh/advanced/installers, https://github.com/nvm-sh/nvm, https://github.com/Schniz/fnm,
 * https://github.com/tj/n, https://sdkman.io/usage
 */
export const VERSION_MANAGERS: readonly VersionManager[] = [
  env('py', 'python', 'versions/*/envs/*'),
  env('rb', 'ruby'),
  env('nod', 'node'),
  env('go', 'go'),
  env('j', 'java'),
  {
    name: 'asdf',
    variable: 'ASDF_DATA_DIR',
    folder: '.asdf',
    parts: words('asdf.sh bin completions defaults installs lib plugins shims'),
    environments: ['installs/*/*'],
    homeFiles: ['.asdfrc', '.tool-versions'],
    choices: words('.tool-versions .python-version .ruby-version .node-version .nvmrc .java-version'),
  },
  {
    name: 'mise',
    variable: 'MISE_DATA_DIR',
    folder: '.local/share/mise',
    parts: words('installs plugins shims'),
    environments: ['installs/*/*'],
    settings: { variable: 'MISE_CONFIG_DIR', folder: '.config/mise', files: ['config.toml', 'config.lock'] },
    choices: words('mise.toml .mise.toml .tool-versions .python-version .ruby-version .node-version .nvmrc'),
  },
  {
    name: 'Volta',
    variable: 'VOLTA_HOME',
    folder: '.volta',
    parts: words('bin layout.v2 layout.v3 layout.v4 tools'),
    environments: ['tools/image/*/*'],
    choices: [],
  },
  {
    name: 'nvm',
    variable: 'NVM_DIR',
    folder: '.nvm',
    parts: words('alias bash_completion nvm-exec nvm.sh versions'),
    environments: ['versions/node/*'],
    choices: ['.nvmrc'],
  },
  {
    name: 'fnm',
    variable: 'FNM_DIR',
    folder: '.local/share/fnm',
    parts: words('aliases node-versions'),
    environments: ['node-versions/*/installation'],
    choices: words('.node-version .nvmrc'),
  },
  { name: 'n', variable: 'N_PREFIX', folder: '', parts: ['n/versions'], environments: ['n/versions/*/*'], choices: [] },
  {
    name: 'SDKMAN',
    variable: 'SDKMAN_DIR',
    folder: '.sdkman',
    parts: words('bin candidates contrib etc/config libexec src var'),
    environments: ['candidates/*/*'],
    choices: ['.sdkmanrc'],
  },
];

/** One of the family of rbenv. */
function env(prefix: string, language: string, ...more: readonly string[]): VersionManager {
  const name = `${prefix}env`;
  return {
    name,
    variable: `${name.toUpperCase()}_ROOT`,
    folder: `.${name}`,
    parts: words(`bin libexec plugins ${name}.d shims version versions`),
    environments: ['versions/*', ...more],
    choices: [`.${language}-version`],
  };
}
