import { evaluateCommand } from '../shell/interpreter/evaluate-command.ts';
import type { SimpleCommand } from '../shell/evaluation.ts';
import { resolvePath } from '../shell/expansion/resolve-path.ts';
import { isKnown, type Word } from '../shell/expansion/word.ts';
import { readOptions } from '../shell/programs/options.ts';

/** Absolute paths of the files that a command line names as its output, as far as they are known. Never throws. */
export function findWrittenPaths(line: string, workspace: string): string[] {
  const { commands } = evaluateCommand(line, { workspace });
  return commands.flatMap((command) =>
    toOutputs(command)
      .filter((word) => word !== '' && isKnown(word))
      .flatMap((word) => command.cwds.filter(isKnown).map((cwd) => resolvePath(word, cwd))),
  );
}

function toOutputs({ name, argv, redirects }: SimpleCommand): Word[] {
  const outputs = redirects.filter(({ operator }) => /^&?>/.test(operator)).map(({ target }) => target);
  const { rest, values, flags } = readOptions(argv.slice(1), [
    '-t',
    '--target-directory',
    '-m',
    '-o',
    '--output',
    '-O',
  ]);
  for (const option of ['-o', '--output', '-O']) outputs.push(values.get(option) ?? '');
  if (name === 'tee' || name === 'sponge' || name === 'touch') outputs.push(...rest);
  if (/^(?:g?sed|perl|awk|gawk)$/.test(name) && [...flags].some((flag) => /^-i|^--in-?place/.test(flag)))
    outputs.push(...rest);
  if (/^(?:cp|mv|install|ln|rsync)$/.test(name)) {
    const folder = values.get('-t') ?? values.get('--target-directory');
    const target = folder ?? rest.at(-1) ?? '';
    // The target can be a folder.
    for (const source of folder === undefined ? rest.slice(0, -1) : rest)
      outputs.push(`${target}/${source.slice(source.lastIndexOf('/') + 1)}`);
    outputs.push(target);
  }
  if (name === 'dd') outputs.push(...argv.filter((word) => word.startsWith('of=')).map((word) => word.slice(3)));
  return outputs;
}
