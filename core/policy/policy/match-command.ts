import { readGitWords } from '../shell/rules/git-rule.ts';
import { evaluateCommand } from '../shell/interpreter/evaluate-command.ts';
import type { SimpleCommand } from '../shell/evaluation.ts';
import { couldBe, countKnown, isDynamic, isKnown, showWord, type Word } from '../shell/expansion/word.ts';
import { toWordGlob } from './policy.ts';

/** `possible`: it depends on words that only the running shell knows. */
export type Match = 'certain' | 'possible' | undefined;

/** The simple commands of a line; undefined for one that is not understood. */
export function understand(line: string, workspace: string): readonly SimpleCommand[] | undefined {
  const { commands, problems } = evaluateCommand(line, { workspace });
  return problems.some(({ rule }) => rule === 'unreadable') ? undefined : commands;
}

/**
 * A command matches when its name does and the other words of the pattern stand behind it in their order,
 * whatever is between them: an option in the middle is no way around a rule.
 */
export function matchCommand(pattern: string, { argv, name }: SimpleCommand): Match {
  const words = readGitWords({ argv, name });
  const asGit = words && compareWords(pattern, { argv: ['git', ...words], name: 'git' });
  return asGit ?? compareWords(pattern, { argv, name });
}

function compareWords(pattern: string, { argv, name }: Pick<SimpleCommand, 'argv' | 'name'>): Match {
  const [first, ...rest] = argv;
  const [wanted = '', ...others] = pattern.trim().split(/\s+/);
  if (first === undefined) return undefined;
  const byName = compare(wanted, first) ?? compare(wanted, name);
  if (byName === undefined) return undefined;
  let isCertain = byName === 'certain';
  // A star at the end stands for whatever follows, also for nothing.
  while (others.at(-1) === '*') others.pop();
  let at = 0;
  for (const word of others) {
    const matches = rest.map((one, index) => (index < at ? undefined : compare(word, one)));
    const certain = matches.indexOf('certain');
    const possible = matches.indexOf('possible');
    if (certain < 0 && possible < 0) return undefined;
    if (certain < 0) isCertain = false;
    at = (certain < 0 ? possible : certain) + 1;
  }
  return isCertain ? 'certain' : 'possible';
}

/** The command in one short line. */
export function showCommand({ argv }: SimpleCommand): string {
  const shown = argv.map(showWord).join(' ');
  return shown.length > 120 ? `${shown.slice(0, 119)}…` : shown;
}

function compare(pattern: string, word: Word): Match {
  if (isKnown(word)) return toWordGlob(pattern).test(word) ? 'certain' : undefined;
  // `*` alone is whatever files there are; nobody means a command's word by it.
  if (!isDynamic(word) && countKnown(word) === 0) return undefined;
  return /[*?]/.test(pattern) || couldBe(word, pattern) ? 'possible' : undefined;
}
