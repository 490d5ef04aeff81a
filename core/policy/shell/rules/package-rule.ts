import { ask, askUnknown, askNetwork, type ShellFinding } from './command-rule.ts';
import { readOptions } from '../programs/options.ts';
import { readPackageCommand } from '../programs/package-options.ts';
import type { SimpleCommand } from '../evaluation.ts';
import type { ShellContext } from './target.ts';
import { isKnown, showWord, type Word } from '../expansion/word.ts';
import { forNames, toList } from '../../word-list.ts';

/** Subcommands that fetch packages and run their code, or publish. */
const FETCHES: Record<string, RegExp> = {
  ...forNames('apt apt-get aptitude yum dnf snap flatpak nix-env corepack twine', /./),
  ...forNames('pip pip3', /^(?:install|download|wheel|uninstall)$/),
  ...forNames('docker podman', /^(?!(?:ps|images|version|info|--version|logs|inspect)$)./),
  npm: /^(?:install|i|in|ci|add|update|up|upgrade|publish|unpublish|login|adduser|token|init|create|link|set-script|rebuild|deprecate|dist-tag|owner|access|hook|org|profile|dedupe|star|clean-install|install-test|it|cit)$/,
  pnpm: /^(?:install|i|add|update|up|publish|login|dlx|create|import|fetch|deploy|link|patch|setup|env|self-update)$/,
  yarn: /^(?:install|add|up|upgrade|publish|dlx|create|set|plugin|link|global|import|npm)$/,
  bun: /^(?:install|i|add|update|publish|create|x|link|upgrade|pm)$/,
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
  dpkg: /^(?:-i|--install|-r|-P|--configure|--purge)$/,
  rpm: /^-[iUFe]/,
  apk: /^(?:add|del|update|upgrade|fix)$/,
  pacman: /^-[SRU]/,
  brew: /^(?:install|update|upgrade|tap|uninstall|bundle|services)$/,
  nvm: /^install$/,
  'docker-compose': /^(?!(?:ps|config|version|logs)$)./,
  rustup: /^(?:install|update|default|toolchain|target|component|self)$/,
  deno: /^(?:install|add|publish|upgrade)$/,
  gradle: /^publish/,
  mvn: /deploy/,
};

/**
 * Subcommands with an effect without a network: they delete installed packages, change settings or run installed
 * programs. All subcommands of programs that are not listed need the network.
 */
const WORKS_OFFLINE: Record<string, RegExp> = {
  ...forNames('pipx conda mamba aptitude dpkg rpm pacman snap flatpak nix-env corepack podman gradle mvn', /./),
  ...forNames('pip pip3', /^uninstall$/),
  ...forNames('yum dnf', /^(?!(?:install|update|search)$)/),
  npm: /^(?:ci|clean-install|cit|link|set-script|rebuild|token|owner|profile|hook|init|create|dedupe)$/,
  pnpm: /^(?:link|patch|setup|env|deploy|create|import)$/,
  yarn: /^(?:link|set|plugin|global|import|create)$/,
  bun: /^(?:link|create|pm)$/,
  uv: /^(?:pip|tool|python|self)$/,
  poetry: /^(?:self|config|install)$/,
  pipenv: /^sync$/,
  go: /^install$/,
  gem: /^(?:update|owner)$/,
  composer: /^global$/,
  apt: /^(?!(?:update|install|upgrade|search)$)/,
  'apt-get': /^(?!(?:update|install|upgrade)$)/,
  apk: /^(?!(?:add|update)$)/,
  brew: /^(?:uninstall|bundle|services)$/,
  rustup: /^(?:default|self)$/,
  deno: /^install$/,
};

/** Subcommands that delete what they then install again: with a network nothing is lost. */
const REINSTALLS = /^(?:ci|clean-install|cit)$/;

const CONTAINERS = new Set(['docker', 'podman']);

const PACKAGE_MANAGERS = new Set(['npm', 'pnpm', 'yarn', 'bun']);

const PATH = /^(?:\.{0,2}\/|file:|\.$)/;

/** Packages: fetches and runs code of others, or changes what `npm run` runs. */
export function judgePackages(command: SimpleCommand, { host }: ShellContext): ShellFinding | undefined {
  const args = command.argv.slice(1);
  const { name } = command;
  // Where there is no sandbox, a rule of its own knows the images of the machine.
  if (host && CONTAINERS.has(name)) return undefined;
  if (name === 'npx' || name === 'bunx') return judgeNpx(args, name);
  if (name.startsWith('python') && args[0] === '-m' && /^(?:pip|ensurepip|venv-install)$/.test(args[1] ?? '')) {
    if (!FETCHES['pip']?.test(args[2] ?? '')) return undefined;
    const isLocal = args[2] === 'uninstall' || args.some((arg) => PATH.test(arg));
    return (isLocal ? ask : askNetwork)('pip install fetches packages and runs their code');
  }
  if (name === 'docker' && args[0] === 'compose' && /^(?:ps|logs|config|ls|images|top|version)$/.test(args[1] ?? ''))
    return undefined;
  const pattern = Object.hasOwn(FETCHES, name) ? FETCHES[name] : undefined;
  if (!pattern) return undefined;
  const rest = findSubcommand(name, args, pattern);
  const subcommand = rest[0] ?? (/^(?:dpkg|rpm|pacman)$/.test(name) ? args[0] : undefined) ?? '';
  if (name === 'npm' || name === 'pnpm' || name === 'yarn') {
    const finding = judgeSettings(subcommand, rest, args);
    if (finding) return finding;
  }
  if (name === 'go' && subcommand === 'mod')
    return /^(?:download|tidy|vendor)$/.test(rest[1] ?? '')
      ? askNetwork(`go mod ${rest[1]} fetches packages`)
      : undefined;
  if (name === 'yarn' && subcommand === '' && !args.some((arg) => arg.startsWith('-')))
    return askNetwork('yarn fetches packages and runs their code');
  if (args.some((arg) => arg === '--dry-run') || !isKnown(subcommand))
    return isKnown(subcommand) ? undefined : askUnknown(`the ${name} command is only known at run time`);
  if (!pattern.test(subcommand)) return undefined;
  // A path is installed from the workspace: its scripts run.
  const isPath = !name.startsWith('docker') && rest.some((word) => PATH.test(word));
  const isLocal = isPath || (Object.hasOwn(WORKS_OFFLINE, name) && WORKS_OFFLINE[name]?.test(subcommand));
  const reason = `${name} ${subcommand} fetches, publishes or runs code of others`;
  if (name === 'npm' && !isPath && REINSTALLS.test(subcommand))
    return { ...askNetwork(reason), worksOffline: true, reinstalls: true };
  return (isLocal ? ask : askNetwork)(reason);
}

const VALUED = '-C --prefix --dir --cwd -w --workspace --filter -F --registry -H --host --context';

/** The words without options, from the subcommand on. Of several readings, one that the pattern matches. */
function findSubcommand(name: string, args: readonly Word[], pattern: RegExp): Word[] {
  const words = (from: readonly Word[]): Word[] => readOptions(from, toList(VALUED)).rest;
  if (!PACKAGE_MANAGERS.has(name)) return words(args);
  const readings = readPackageCommand(name, args).map(words);
  return readings.find(([first = '']) => !isKnown(first) || pattern.test(first)) ?? readings[0] ?? [];
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
    return askNetwork(`${name} fetches ${showWord(program)} and runs it`);
  return undefined;
}
