/** Keys that a repository keeps when it moves to another machine. Sections with a name have `*` in its place. */
const KEPT: ReadonlySet<string> = new Set(
  [
    'core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.symlinks',
    'core.precomposeunicode core.autocrlf core.eol core.safecrlf core.quotepath core.longpaths core.sparsecheckout',
    'core.sparsecheckoutcone extensions.objectformat user.name user.email i18n.commitencoding pull.rebase pull.ff',
    'remote.*.url remote.*.pushurl remote.*.fetch remote.*.tagopt branch.*.remote branch.*.merge branch.*.rebase',
    'branch.*.pushremote submodule.*.url submodule.*.active',
  ].flatMap((line) => line.split(' ')),
);
const WITH_ADDRESS = /^(?:remote|submodule)\..*\.(?:url|pushurl)$/s;

/**
 * The configuration that a repository keeps when it moves to another machine, as the text of a configuration file. Keys
 * with which git runs programs, and all that are not known, are left out. Addresses have no passwords.
 *
 * @param listed Output of `git config --file FILE --list -z`.
 */
export function toSafeConfiguration(listed: string): string {
  return listed
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const end = entry.indexOf('\n');
      const [name, given] = end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
      const first = name.indexOf('.');
      const last = name.lastIndexOf('.');
      const [section, below, key] = [name.slice(0, first), name.slice(first + 1, last), name.slice(last + 1)];
      if (!KEPT.has(first === last ? name : `${section}.*.${key}`)) return '';
      const value = WITH_ADDRESS.test(name) ? toSafeAddress(given) : given;
      if (value === undefined || /[\n\r]/.test(below + value)) return '';
      return `[${section}${first === last ? '' : ` "${escape(below)}"`}]\n\t${key} = "${escape(value)}"\n`;
    })
    .join('');
}

/** The address without a password. Undefined for one with which git runs a program, such as `ext::sh`. */
export function toSafeAddress(address: string): string | undefined {
  if (address.includes('::')) return undefined;
  const found = /^([a-z][a-z\d+.-]*):\/\/(?:([^/?#]*)@)?(.*)$/is.exec(address);
  if (!found) return address;
  const [, protocol = '', user, rest = ''] = found;
  // The name of a user of HTTP can be a token.
  if (user === undefined || /^https?$/i.test(protocol)) return `${protocol}://${rest}`;
  return `${protocol}://${user.split(':')[0]}@${rest}`;
}

function escape(text: string): string {
  return text.replaceAll(/["\\]/g, String.raw`\$&`);
}
