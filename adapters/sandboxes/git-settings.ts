import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDistrusted, isRegularFile, listUserGitSettings, readForeignFileSync } from '@klaus/adapters/system';

type Environment = Readonly<Record<string, string | undefined>>;

/** Names of the settings that decide what a commit contains, and who is named in it. None of their values is a program. */
const VALUES = new RegExp(
  `^(?:${[
    '(?:user|author|committer)\\.(?:name|email)',
    'user\\.useconfigonly',
    'core\\.(?:autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode|commentchar|commentstring|whitespace)',
    'commit\\.cleanup',
    'trailer\\.(?:separators|where|ifexists|ifmissing)',
    'trailer\\..*\\.(?:key|where|ifexists|ifmissing)',
    'merge\\.(?:ff|log|branchdesc|suppressdest|conflictstyle|renames|renormalize|directoryrenames|renamelimit)',
    'pull\\.(?:ff|rebase)',
    'rebase\\.(?:autosquash|updaterefs|rebasemerges)',
    'fmt\\..*|format\\.signoff',
    'init\\.defaultbranch',
  ].join('|')})$`,
);
/** Programs of the user that change what is committed. They run in the sandbox, as everything that git starts. */
const FILTERS = /^(?:filter\..*\.(?:clean|smudge|process|required)|merge\..*\.(?:name|driver|recursive))$/;

/** Bytes of a list of patterns. */
const MAX_LIST = 256 * 1024;

/** Files for /etc, by name. Empty ones are there too, so that they replace those of an earlier session. */
export interface GitFiles {
  gitconfig: string;
  /** The names that the user does not want to commit anywhere. */
  gitignore: string;
  gitattributes: string;
}

/**
 * What git needs to know about the user in order to commit as the user would: the identity and the other settings that
 * decide what a commit contains, also those of `includeIf` for the workspace, and the user's lists of ignored files and
 * of attributes. No credential and no key is among it, and of programs only filters and merge drivers.
 */
export async function readGitFiles(env: Environment, workspace: string): Promise<GitFiles> {
  const listed = await listUserGitSettings(env, workspace);
  const known = new Map(listed.map(([name, value]) => [name.toLowerCase(), value]));
  const kept = listed.filter(([name]) => VALUES.test(name.toLowerCase()) || FILTERS.test(name.toLowerCase()));
  const lists = {
    gitignore: readList(known.get('core.excludesfile') ?? toDefault('ignore', env), env),
    gitattributes: readList(known.get('core.attributesfile') ?? toDefault('attributes', env), env),
  };
  const lines = [
    ...kept.map(([name, value]) => toLines(name, value)),
    // Commands cannot access signing keys.
    toLines('commit.gpgsign', 'false'),
    toLines('tag.gpgsign', 'false'),
    ...(lists.gitignore === '' ? [] : [toLines('core.excludesfile', '/etc/gitignore')]),
    ...(lists.gitattributes === '' ? [] : [toLines('core.attributesfile', '/etc/gitattributes')]),
  ];
  return { gitconfig: kept.length === 0 && lines.length === 2 ? '' : lines.join(''), ...lists };
}

/** One setting as lines of a configuration. */
function toLines(name: string, value: string): string {
  const [first, last] = [name.indexOf('.'), name.lastIndexOf('.')];
  const sub = first === last ? '' : ` "${name.slice(first + 1, last).replaceAll(/["\\]/g, '\\$&')}"`;
  const quoted = value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `[${name.slice(0, first)}${sub}]\n\t${name.slice(last + 1)} = "${quoted}"\n`;
}

/** @source https://git-scm.com/docs/gitignore, https://git-scm.com/docs/gitattributes */
function toDefault(name: string, { HOME = homedir(), XDG_CONFIG_HOME }: Environment): string {
  return join(XDG_CONFIG_HOME || join(HOME, '.config'), 'git', name);
}

function readList(path: string, { HOME = homedir() }: Environment): string {
  const absolute = path.startsWith('~/') ? join(HOME, path.slice(2)) : path;
  try {
    if (!absolute.startsWith('/') || isDistrusted(absolute) || !isRegularFile(absolute)) return '';
    return readForeignFileSync(absolute, { max: MAX_LIST }).text;
  } catch {
    return '';
  }
}
