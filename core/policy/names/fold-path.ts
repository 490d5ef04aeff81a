/** Characters without a form of their own, which some file systems leave out when they compare names. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;
/** The content of a file and of a folder, as NTFS also names them: `c.sql::$DATA`, `config:$I30:$INDEX_ALLOCATION`. */
const STREAM = /:(?:\$i30)?:\$[a-z_]+$/;
const ASCII = /^[\u0020-\u007e]*$/;

const chars = new Map<string, string>();

/**
 * A path in the form in which every file system that does not distinguish all names would find the same file: without
 * case (Unicode's full case folding), canonically decomposed, without ignorable characters, trailing dots and spaces, and
 * the names of the default streams of NTFS. Two names with different forms are different files everywhere, except for
 * {@link isShortName}.
 *
 * @param path With forward slashes. Marks of unknown text in words of a command are kept.
 */
export function foldPath(path: string): string {
  const text = ASCII.test(path) ? path.toLowerCase() : foldText(path);
  return text.includes(':') || /[. ](?:\/|$)/.test(text) ? text.split('/').map(foldEnd).join('/') : text;
}

function foldText(path: string): string {
  const plain = path.normalize('NFD').replaceAll(IGNORED, '');
  return Array.from(plain, foldChar).join('').normalize('NFD').replaceAll(IGNORED, '');
}

/** One character at a time: that of a sigma at the end of a word depends on what is around it. */
function foldChar(char: string): string {
  let folded = chars.get(char);
  if (folded === undefined) chars.set(char, (folded = char.toLowerCase().toUpperCase().toLowerCase()));
  return folded;
}

function foldEnd(part: string): string {
  const name = part.replace(STREAM, '').replace(/[. ]+$/, '');
  return name === '' ? part : name;
}

/**
 * True for a name that a file system can give a file with a longer name: `git~1`, `CUSTOM~2.TXT`.
 *
 * @param part One part of a path.
 */
export function isShortName(part: string): boolean {
  return /^(?=[^.]{3,8}(?:\.|$))[^.~*?]{1,6}~\d{1,6}(?:\.[^.*?]{0,3})?$/.test(part);
}
