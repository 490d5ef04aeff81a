/** Sections of a repository's configuration that a copy inherits. */
const SECTIONS = new Set(['user', 'author', 'committer', 'branch', 'remote', 'diff', 'merge', 'filter', 'lfs', 'i18n']);
const CORE = new Set(
  'autocrlf eol safecrlf filemode symlinks ignorecase precomposeunicode longpaths excludesfile attributesfile quotepath commentchar commentstring'.split(
    ' ',
  ),
);

/**
 * The configuration that a copy inherits, as the text of a configuration file: identity, remotes, branches, and how
 * files are converted. Programs that Git starts (hooks, aliases, credential helpers, pagers) are not inherited.
 *
 * @param listed Output of `git config --local --list -z`.
 */
export function toInheritedConfiguration(listed: string): string {
  return listed
    .split('\0')
    .map((entry) => {
      const end = entry.indexOf('\n');
      const [name, value] = end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
      const first = name.indexOf('.');
      const last = name.lastIndexOf('.');
      if (first < 0) return '';
      const section = name.slice(0, first);
      const key = name.slice(last + 1);
      const isInherited = SECTIONS.has(section) || (section === 'core' && CORE.has(key)) || name === 'commit.cleanup';
      if (!isInherited) return '';
      const below = first === last ? '' : ` "${name.slice(first + 1, last).replaceAll(/["\\]/g, '\\$&')}"`;
      return `[${section}${below}]\n\t${key} = "${value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"\n`;
    })
    .join('');
}
