/** Settings whose value is a program, a folder of programs, or a file that can name some. */
const CORE =
  /^core\.(?:hookspath|fsmonitor|sshcommand|pager|editor|askpass|gitproxy|attributesfile|alternaterefscommand)$/;
const SECTIONS = /^(?:alias|pager|include|includeif)\./;
/** The last parts of names, in any section. */
const KEYS =
  /\.(?:command|cmd|textconv|clean|smudge|process|driver|program|helper|update|external|editor|vcs|uploadpack|receivepack|templatedir|difffilter|packobjectshook|recentobjectshook|defaultkeycommand|sendmailcmd|smtpserver|tocmd|cccmd|headercmd|signaturefile|browser|proxycommand|tunnel|httpd)$/;
/** A program that is named by its path. */
const PATHS = /^(?:difftool|mergetool|man|browser|guitool|lfs)\..*path$/;
const FOLDERS = /^(?:core\.hookspath|init\.templatedir)$/;
const FILES = /^(?:core\.attributesfile|include\.path|includeif\..*\.path)$/;
const ADDRESS = /^(?:remote|url|submodule)\./;

/** Words of a shell line. */
const SEPARATORS = /[\s"'`;|&(){}<>=\\,$]+/;

/**
 * The paths that a setting of Git makes it run or obey, as they are written.
 *
 * @param name As `git config --list` prints it: in lower case except the middle part.
 */
export function toNamedPaths(name: string, value: string): { path: string; kind: 'folder' | 'file' | 'word' }[] {
  const key = toFoldedName(name);
  if (FOLDERS.test(key)) return [{ path: value, kind: 'folder' }];
  if (FILES.test(key)) return [{ path: value, kind: 'file' }];
  const isProgram =
    CORE.test(key) || SECTIONS.test(key) || KEYS.test(key) || PATHS.test(key) || key === 'sequence.editor';
  if (!isProgram && !(ADDRESS.test(key) && `${name} ${value}`.includes('::'))) return [];
  // Git starts such a program without a shell, so that spaces belong to its path.
  if (PATHS.test(key) || /^gpg\..*program$/.test(key)) return [{ path: value, kind: 'word' }];
  const words = value
    .replace(/^!/, '')
    .replaceAll(/\$\{?HOME\}?\//g, '~/')
    // Such as the top of the working tree.
    .replaceAll(/"?\$(?:\([^()]*\)|\{\w+\}|\w+)"?\//g, './')
    .split(SEPARATORS)
    .filter((word) => word !== '' && !word.startsWith('-'));
  // A first word without a folder is found in `PATH`.
  return words.flatMap((path, at) => (at > 0 || path.includes('/') ? [{ path, kind: 'word' }] : []));
}

function toFoldedName(name: string): string {
  const [first, last] = [name.indexOf('.'), name.lastIndexOf('.')];
  return name.slice(0, first).toLowerCase() + name.slice(first, last) + name.slice(last).toLowerCase();
}

/** True for a word that names a file by its form: with a folder or an extension.  */
export function isPathLike(word: string): boolean {
  return /^[^:*?[\]%]+$/.test(word) && (word.includes('/') || /\w\.[a-z]\w{0,5}$/i.test(word));
}
