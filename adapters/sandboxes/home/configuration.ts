/**
 * Configuration that programs load from the home folder, as relative paths. Commands see each as an empty read-only file
 * or folder, because a command must not affect later ones. A folder ends with `/`.
 *
 * Each row is a mount, which delays the start of every command by about 0.2 ms. Files that only store data, or that are
 * read only if another one is missing (`.bash_login`), are therefore not listed.
 */
const TABLE = `
.npmrc .yarnrc .yarnrc.yml .pnpmrc .bunfig.toml | package managers: the shell of scripts, registries, code at install
.gitconfig | git: programs that it starts, hooks, templates
.bashrc .bash_profile .bash_aliases .profile .zshrc .zshenv .zprofile .inputrc | shells
.env .envrc | variables that runners and direnv load
.netrc .curlrc .wgetrc | curl, wget: credentials, proxies, where output goes
.pydistutils.cfg .pip/ .condarc .pdbrc .mypy.ini .pylintrc | Python: indexes, code at a build, what checkers skip
.gemrc .rspec .rubocop.yml .bundle/config .bundle/plugin/ | Ruby: options of every gem command and of every rspec run, code
.proverc | Perl: options of every prove run
.composer/config.json .composer/vendor/ | Composer: repositories, scripts, plugins of every run
.cargo/config .cargo/config.toml | Cargo: the compiler, the runner of tests, aliases
.m2/settings.xml .mavenrc | Maven: repositories, code at every start
.gradle/gradle.properties .gradle/init.gradle .gradle/init.gradle.kts .gradle/init.d/ | Gradle: code at every build
.golangci.yml .shellcheckrc .eslintrc .eslintrc.js .eslintrc.json | linters: what is not checked
.gdbinit .vimrc | debugger, editor: commands at every start
.node_modules/ .node_libraries/ | Node: modules that require() finds in the home folder
.ssh/ .gnupg/ .docker/ | keys, hosts, credential helpers
.config/ | everything that follows XDG: git, npm, pnpm, yarn, pip, uv, go, fish and many more
`;

/** Content of files that must not be empty. */
const CONTENT: Readonly<Record<string, string>> = {
  '.composer/config.json': '{}\n',
  '.gemrc': '--- {}\n',
  '.m2/settings.xml': '<settings/>\n',
};

export interface ConfigurationPlace {
  /** Relative to the home folder. */
  path: string;
  isFolder: boolean;
  /** Content of the file; undefined for a folder. */
  content?: string;
}

export const CONFIGURATION: readonly ConfigurationPlace[] = TABLE.trim()
  .split('\n')
  .flatMap((line) => line.split(' | ')[0]!.trim().split(' '))
  .map((word) =>
    word.endsWith('/')
      ? { path: word.slice(0, -1), isFolder: true }
      : { path: word, isFolder: false, content: CONTENT[word] ?? '' },
  );

/** Writable folders with configuration. They are mount points, because a command could rename a folder otherwise. */
export const PARENTS: readonly string[] = [
  ...new Set(CONFIGURATION.flatMap(({ path }) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : []))),
];

/**
 * Paths in the home folder from which programs load code without a reference in the workspace. They are writable,
 * because installations write there; a receipt lists those that exist. `*` matches any part of one name.
 * Source: https://docs.python.org/3/library/site.html, https://docs.npmjs.com/cli/commands/npx,
 * https://doc.rust-lang.org/cargo/reference/external-tools.html, https://docs.npmjs.com/cli/configuring-npm/folders.
 */
export const LOADED: readonly string[] = [
  '.local/lib/python*/site-packages/*.pth',
  '.local/lib/python*/site-packages/*.egg-link',
  '.local/lib/python*/site-packages/sitecustomize*',
  '.local/lib/python*/site-packages/usercustomize*',
  '.local/lib/python*/site-packages/pytest*',
  '.local/lib/python*/site-packages/_pytest*',
  '.local/lib/python*/site-packages/unittest*',
  '.local/bin/*',
  '.cargo/bin/*',
  '.npm/_npx/*/node_modules/.bin/*',
  '.npm/_npx/*/package.json',
  '.pythonrc.py',
  'node_modules/*',
  'package.json',
  'bin/*',
];
