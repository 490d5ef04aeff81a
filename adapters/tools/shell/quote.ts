import { quoteShellWord } from '@klaus/core/protocol';
import { toolFailed } from '../tool-failed.ts';

/** Quotes a path of the workspace so that no program reads it as an option. */
export function quotePath(relative: string): string {
  return quoteShellWord(relative === '' ? '.' : relative.startsWith('-') ? `./${relative}` : relative);
}

/** Bytes; the kernel limits an argument to 128 KiB. */
const MAX_WORD = 100_000;

/**
 * Checks that the text can be an argument of a program.
 *
 * @param what Names it in the error: "The pattern is …".
 * @param advice What to do with a longer one.
 * @throws KlausError `tool.failed` for a null byte, for invalid Unicode, and for more than 100,000 bytes.
 */
export function checkWord(what: string, word: string, advice = `The maximum is ${MAX_WORD}.`): string {
  if (word.includes('\0')) throw toolFailed(`The ${what} contains a null byte.`);
  if (!word.isWellFormed()) throw toolFailed(`The ${what} is not valid Unicode.`);
  const bytes = Buffer.byteLength(word);
  if (bytes > MAX_WORD) throw toolFailed(`The ${what} is ${bytes} bytes long. ${advice}`);
  return word;
}

/** The arguments for the end of a command line, with a space before each. */
export function quoteArguments(args: readonly string[] = []): string {
  return args.map((word) => ` ${quoteShellWord(checkWord('argument', word))}`).join('');
}
