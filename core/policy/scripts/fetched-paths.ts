import { evaluateCommand } from '../shell/interpreter/evaluate-command.ts';
import type { SimpleCommand } from '../shell/evaluation.ts';
import { resolvePath } from '../shell/expansion/resolve-path.ts';
import { isKnown, type Word } from '../shell/expansion/word.ts';
import { readOptions } from '../shell/programs/options.ts';

/** Absolute paths of files and folders that a command line fetches from elsewhere, as far as they are known. Never throws. */
export function findFetchedPaths(line: string, workspace: string): string[] {
  const { commands } = evaluateCommand(line, { workspace });
  return commands.flatMap((command) =>
    toFetched(command)
      .filter((word) => word !== '' && isKnown(word))
      .flatMap((word) => command.cwds.filter(isKnown).map((cwd) => resolvePath(word, cwd))),
  );
}

const toName = (address: Word): Word =>
  address
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/^.*[/:]/, '');

function toFetched({ name, argv, redirects }: SimpleCommand): Word[] {
  const args = argv.slice(1);
  const outputs = redirects.filter(({ operator }) => /^&?>/.test(operator)).map(({ target }) => target);
  const remote = args.filter((arg) => /^(?:[a-z+]+:\/\/|git@)/i.test(arg));
  switch (name) {
    case 'curl':
    case 'wget': {
      const { values } = readOptions(args, name === 'curl' ? ['-o', '--output'] : ['-O', '--output-document']);
      return [...outputs, ...values.values(), ...remote.map(toName)];
    }
    case 'git': {
      const { rest } = readOptions(args, ['-C', '-c', '-b', '--branch', '--depth', '-o', '--origin']);
      if (rest[0] !== 'clone') return [];
      return [rest[2] ?? toName(rest[1] ?? '').replace(/\.git$/, '')];
    }
    case 'gh':
      return args[0] === 'api' || args[0] === 'gist' ? outputs : [];
    case 'scp':
    case 'sftp':
    case 'aria2c':
    case 'http':
    case 'https':
      return [...outputs, ...remote.map(toName), args.at(-1) ?? ''];
    default:
      return [];
  }
}
