import { toNearest } from '@klaus/sdk';

/**
 * The command that `word` is probably a misspelling of, if any: one slip in a short word, two in a longer one, or two
 * neighbours swapped. Narrower than a "did you mean": a word that only resembles a command is a prompt.
 */
export function findNearWord(word: string, commands: readonly string[]): string | undefined {
  const isLong = (command: string) => Math.min(word.length, command.length) >= 6;
  const isSwapped = (command: string) => toLetters(word) === toLetters(command);
  return toNearest(
    word,
    commands.filter((command) => command.length > 2),
    { toLimit: (command) => (isLong(command) || isSwapped(command) ? 2 : 1) },
  );
}

function toLetters(word: string): string {
  return word.toLowerCase().split('').toSorted().join('');
}
