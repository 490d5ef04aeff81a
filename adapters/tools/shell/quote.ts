import { KlausError } from '@klaus/core/protocol';

/** One word for the shell, whatever is in it. */
export function quote(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A path of the workspace as a word that no program takes for an option. */
export function quotePath(relative: string): string {
  return quote(relative === '' ? '.' : relative.startsWith('-') ? `./${relative}` : relative);
}

/** Bytes; the kernel takes no longer word than 128 KiB. */
const MAX_WORD = 100_000;

/**
 * A word that a program can be given.
 *
 * @param what Names it in the error: "The pattern is …".
 * @throws KlausError `tool.failed` for a null byte, for what is no Unicode, and for more than 100,000 bytes.
 */
export function checkWord(what: string, word: string): string {
  if (word.includes('\0')) throw new KlausError('tool.failed', `The ${what} contains a null byte.`);
  if (!word.isWellFormed()) throw new KlausError('tool.failed', `The ${what} is not valid Unicode.`);
  const bytes = Buffer.byteLength(word);
  if (bytes > MAX_WORD) {
    throw new KlausError('tool.failed', `The ${what} is ${bytes} bytes long; at most ${MAX_WORD} are taken.`);
  }
  return word;
}

/** Arguments as the end of a command line, with a space before each. */
export function quoteArguments(args: readonly string[] = []): string {
  return args.map((word) => ` ${quote(checkWord('argument', word))}`).join('');
}
