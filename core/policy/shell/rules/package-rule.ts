import type { ShellFinding } from './command-rule.ts';
import { readOptions } from '../programs/options.ts';
import type { SimpleCommand } from '../reading.ts';
import { isKnown, showWord, type Word } from '../expansion/word.ts';

/** Subcommands that fetch packages and run what is in them, or publish. */
const FETCHES: Record<string, RegExp> = {
  npm: /^(?:install|i|in|ci|add|update|up|upgrade|publish|unpublish|login|adduser|token|init|create|link|set-script|rebuild|deprecate|dist-tag|owner|access|hook|org|profile|dedupe|star|clean-install|install-test|it|cit)$/,
  pnpm: /^(?:install|i|add|update|up|publish|login|dlx|create|import|fetch|deploy|link|patch|setup|env|self-update)$/,
  yarn: /^(?:install|add|up|upgrade|publish|dlx|create|set|plugin|link|global|import|npm)$/,
  bun: /^(?:install|i|add|update|publish|create|x|link|upgrade|pm)$/,
  pip: /^(?:install|download|wheel|uninstall)$/,
  pip3: /^(?:install|download|wheel|uninstall)$/,
  uv: /^(?:pip|add|sync|tool|publish|lock|python|self)$/,
  pipx: /^(?:install|inject|upgrade|reinstall.*)$/,
  poetry: /^(?:install|add|update|publish|lock|self|config)$/,
  pipenv: /^(?:install|update|sync|lock|upgrade)$/,
  conda: /^(?:install|create|update|env|remove)$/,
  mamba: /^(?:install|create|update|env)$/,
  cargo: /^(?:install|add|update|fetch|publish|login|owner|yank|search)$/,
  go: /^(?:get|install)$/,
  gem: /^(?:install|update|push|fetch|owner)$/,
  bundle: /^(?:install|update|add)$/,
  composer: /^(?:install|require|update|create-project|global)$/,
  apt: /./,
  'apt-get': /./,
  aptitude: /./,
  dpkg: /^(?:-i|--install|-r|-P|--configure|--purge)$/,
  rpm: /^-[iUFe]/,
  yum: /./,
  dnf: /./,
  apk: /^(?:add|del|update|upgrade|fix)$/,
  pacman: /^-[SRU]/,
  brew: /^(?:install|update|upgrade|tap|uninstall|bundle|services)$/,
  snap: /./,
  flatpak: /./,
  'nix-env': /./,
  corepack: /./,
  nvm: /^install$/,
  docker: /^(?!(?:ps|images|version|info|--version|logs|inspect)$)./,
  podman: /^(?!(?:ps|images|version|info|--version|logs|inspect)$)./,
  'docker-compose': /^(?!(?:ps|config|version|logs)$)./,
  rustup: /^(?:install|update|default|toolchain|target|component|self)$/,
  deno: /^(?:install|add|publish|upgrade)$/,
  twine: /./,
  gradle: /^publish/,
  mvn: /deploy/,
};

/**
 * What does more than fail without a network: it deletes what is installed, changes settings or runs what is there
 * already. Of programs that are not named here everything needs the network.
 */
const WORKS_OFFLINE: Record<string, RegExp> = {
  npm: /^(?:ci|clean-install|cit|link|set-script|rebuild|token|owner|profile|hook|init|create|dedupe)$/,
  pnpm: /^(?:link|patch|setup|env|deploy|create|import)$/,
  yarn: /^(?:link|set|plugin|global|import|create)$/,
  bun: /^(?:link|create|pm)$/,
  pip: /^uninstall$/,
  pip3: /^uninstall$/,
  uv: /^(?:pip|tool|python|self)$/,
  pipx: /./,
  poetry: /^(?:self|config|install)$/,
  pipenv: /^sync$/,
  conda: /./,
  mamba: /./,
  go: /^install$/,
  gem: /^(?:update|owner)$/,
  composer: /^global$/,
  apt: /^(?!(?:update|install|upgrade|search)$)/,
  'apt-get': /^(?!(?:update|install|upgrade)$)/,
  aptitude: /./,
  dpkg: /./,
  rpm: /./,
  yum: /^(?!(?:install|update|search)$)/,
  dnf: /^(?!(?:install|update|search)$)/,
  apk: /^(?!(?:add|update)$)/,
  pacman: /./,
  brew: /^(?:uninstall|bundle|services)$/,
  snap: /./,
  flatpak: /./,
  'nix-env': /./,
  corepack: /./,
  podman: /./,
  rustup: /^(?:default|self)$/,
  deno: /^install$/,
  gradle: /./,
  mvn: /./,
};

/** Packages: fetching what others wrote and running it; changing what `npm run` runs. */
export function judgePackages(command: SimpleCommand): ShellFinding | undefined {
  const args = command.argv.slice(1);
  const { name } = command;
  if (name === 'npx' || name === 'bunx') return judgeNpx(args, name);
  if (name.startsWith('python') && args[0] === '-m' && /^(?:pip|ensurepip|venv-install)$/.test(args[1] ?? '')) {
    return FETCHES['pip']?.test(args[2] ?? '')
      ? {
          ...ask('pip install fetches packages and runs what is in them'),
          ...(args[2] === 'uninstall' || args.some((arg) => /^(?:\.{0,2}\/|file:|\.$)/.test(arg))
            ? {}
            : { needs: 'network' }),
        }
      : undefined;
  }
  if (name === 'docker' && args[0] === 'compose' && /^(?:ps|logs|config|ls|images|top|version)$/.test(args[1] ?? ''))
    return undefined;
  const pattern = Object.hasOwn(FETCHES, name) ? FETCHES[name] : undefined;
  if (!pattern) return undefined;
  const { rest } = readOptions(args, [
    '-C',
    '--prefix',
    '--dir',
    '--cwd',
    '-w',
    '--workspace',
    '--filter',
    '-F',
    '--registry',
    '-H',
    '--host',
    '--context',
  ]);
  const subcommand = rest[0] ?? (/^(?:dpkg|rpm|pacman)$/.test(name) ? args[0] : undefined) ?? '';
  if (name === 'npm' || name === 'pnpm' || name === 'yarn') {
    const finding = judgeSettings(subcommand, rest, args);
    if (finding) return finding;
  }
  if (name === 'go' && subcommand === 'mod')
    return /^(?:download|tidy|vendor)$/.test(rest[1] ?? '')
      ? { ...ask(`go mod ${rest[1]} fetches packages`), needs: 'network' }
      : undefined;
  if (name === 'yarn' && subcommand === '' && !args.some((arg) => arg.startsWith('-')))
    return { ...ask('yarn fetches packages and runs what is in them'), needs: 'network' };
  if (args.some((arg) => arg === '--dry-run') || !isKnown(subcommand))
    return isKnown(subcommand) ? undefined : ask(`the ${name} command is only known when it runs`);
  if (!pattern.test(subcommand)) return undefined;
  const finding = ask(`${name} ${subcommand} fetches, publishes or runs what others wrote`);
  // A path is installed from here: what is in it runs.
  const isPath = !name.startsWith('docker') && rest.some((word) => /^(?:\.{0,2}\/|file:|\.$)/.test(word));
  const isLocal = Object.hasOwn(WORKS_OFFLINE, name) && WORKS_OFFLINE[name]?.test(subcommand);
  return isLocal || isPath ? finding : { ...finding, needs: 'network' };
}

function ask(reason: string): ShellFinding {
  return { verdict: 'ask', reason };
}

function judgeSettings(subcommand: Word, rest: Word[], args: readonly Word[]): ShellFinding | undefined {
  if (subcommand === 'pkg' && /^(?:set|delete|fix)$/.test(rest[1] ?? '')) {
    const key = rest
      .slice(2)
      .find(
        (word) =>
          /^(?:scripts|bin|main|exports|workspaces|dependencies|devDependencies|overrides|config|gypfile|\.?\[)/.test(
            word,
          ) || !isKnown(word),
      );
    if (key !== undefined) return ask(`${showWord(key)} of package.json decides what runs later`);
  }
  if ((subcommand === 'config' && /^(?:set|delete|edit|fix)$/.test(rest[1] ?? '')) || subcommand === 'set')
    return ask('it changes settings that every later run reads');
  const option = args.find((arg) =>
    /^--(?:script-shell|node-options|globalconfig|userconfig|prefix-global|shell|git)(?:=|$)/.test(arg),
  );
  return option === undefined ? undefined : ask(`${showWord(option)} decides which program runs`);
}

function judgeNpx(args: readonly Word[], name: string): ShellFinding | undefined {
  const { flags, rest } = readOptions(args, ['-p', '--package', '-c', '--call', '-w', '--workspace'], true);
  if (flags.has('--no-install') || flags.has('--no')) return undefined;
  const fetches = flags.has('-y') || flags.has('--yes') || flags.has('-p') || flags.has('--package');
  const program = rest[0] ?? '';
  if (fetches || /.@|^create-|^https?:|^git|^github:/.test(program))
    return { ...ask(`${name} fetches ${showWord(program)} and runs it`), needs: 'network' };
  return undefined;
}
