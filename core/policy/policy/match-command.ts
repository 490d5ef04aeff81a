import { cutText } from '../../protocol/text/cut-text.ts';
import { readGitWords } from '../shell/rules/git-rule.ts';
import { evaluateCommand } from '../shell/interpreter/evaluate-command.ts';
import type { SimpleCommand } from '../shell/evaluation.ts';
import { couldBe, countKnown, isDynamic, isKnown, showWord, type Word } from '../shell/expansion/word.ts';
import { matchesText } from '../glob.ts';

/** `possible`: it depends on words that are only known at run time. */
export type Match = 'certain' | 'possible' | undefined;

/** The simple commands of a line; undefined for a line that cannot be evaluated. */
export function understand(line: string, workspace: string): readonly SimpleCommand[] | undefined {
  const { commands, problems } = evaluateCommand(line, { workspace });
  return problems.some(({ rule }) => rule === 'unreadable') ? undefined : commands;
}

/**
 * A command matches if its name matches and the other words of the pattern follow in their order. Other words may be
 * between them, so that an additional option does not avoid a rule.
 */
export function matchCommand(pattern: string, { argv, name }: SimpleCommand): Match {
  const words = readGitWords({ argv, name });
  const asGit = words && compareWords(pattern, { argv: ['git', ...words], name: 'git' });
  return asGit ?? compareWords(pattern, { argv, name }) ?? compareScript(pattern, { argv, name });
}

const INTERPRETER = /^(?:node|nodejs|bun|deno|tsx|python[\d.]*|ruby|perl|php|sh|bash|dash|zsh)$/;

/** A program that its interpreter starts: `node /usr/bin/npm publish`. */
function compareScript(pattern: string, { argv, name }: Pick<SimpleCommand, 'argv' | 'name'>): Match {
  if (!INTERPRETER.test(name)) return undefined;
  const at = argv.findIndex((word, index) => index > 0 && !word.startsWith('-'));
  const script = argv[at];
  if (script === undefined) return undefined;
  const file = script.slice(script.lastIndexOf('/') + 1).replace(/(?:-cli)?\.(?:[cm]?js|py|rb|pl|php|sh)$/, '');
  const match = compareWords(pattern, { argv: [file, ...argv.slice(at + 1)], name: file });
  // The file can be another program of that name.
  return match && 'possible';
}

function compareWords(pattern: string, { argv, name }: Pick<SimpleCommand, 'argv' | 'name'>): Match {
  const [first, ...rest] = argv;
  const [wanted = '', ...others] = pattern.trim().split(/\s+/);
  if (first === undefined) return undefined;
  const byName = compare(wanted, first) ?? compare(wanted, name);
  if (byName === undefined) return undefined;
  let isCertain = byName === 'certain';
  // A star at the end matches all following words, also none.
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

export function showCommand({ argv }: SimpleCommand): string {
  const shown = argv.map(showWord).join(' ');
  return cutText(shown, 120);
}

function compare(pattern: string, word: Word): Match {
  if (isKnown(word)) return matchesText(word, pattern) ? 'certain' : undefined;
  // `*` alone matches any files; as a word of a command it has no meaning.
  if (!isDynamic(word) && countKnown(word) === 0) return undefined;
  return /[*?]/.test(pattern) || couldBe(word, pattern) ? 'possible' : undefined;
}
