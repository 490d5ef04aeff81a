import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KlausError } from '@klaus/core/protocol';

/** A repository that can be cloned. */
export interface CloneSource {
  /** The protocol that Git may use, and no other one. */
  protocol: 'https' | 'ssh' | 'file';
  /** The address for Git, without credentials; for `file` an absolute path. */
  url: string;
  /** Name of the new folder: the last part of the address, without `.git`. */
  name: string;
}

const MAX_LENGTH = 2_000;

/** `user@host:path`. A path that begins with `:` or `//` would be another notation. */
const SCP = /^(?:[A-Za-z0-9_][\w.-]*@)?([A-Za-z0-9][\w.-]*):(?![:-]|\/\/)(\S+)$/;

const HINT = 'Use `https://HOST/PATH`, `ssh://USER@HOST/PATH`, `USER@HOST:PATH` or the absolute path of a repository.';

/**
 * Reads the address of a repository.
 *
 * @throws KlausError `usage` for another protocol, for an address with a password, and for one that Git could read as
 *   an option.
 */
export function parseCloneSource(text: string): CloneSource {
  const given = text.trim();
  if (given === '' || given.length > MAX_LENGTH || /[\0-\x20\x7f]/.test(given)) {
    throw new KlausError('usage', 'This is no address of a Git repository.', { hint: HINT });
  }
  if (isAbsolute(given)) return { protocol: 'file', url: given, name: toName(given) };
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === 'file:' && url.host === '') {
    const path = fileURLToPath(url);
    return { protocol: 'file', url: path, name: toName(path) };
  }
  if (url?.protocol === 'https:' && url.hostname !== '') {
    if (url.username !== '' || url.password !== '') throw withCredentials();
    url.hash = '';
    return { protocol: 'https', url: url.href, name: toName(decode(url.pathname)) };
  }
  if (url?.protocol === 'ssh:' && /^[A-Za-z0-9[]/.test(url.hostname) && !url.username.startsWith('-')) {
    if (url.password !== '') throw withCredentials();
    return { protocol: 'ssh', url: url.href, name: toName(decode(url.pathname)) };
  }
  const [, host, path] = SCP.exec(given) ?? [];
  if (host !== undefined && path !== undefined) return { protocol: 'ssh', url: given, name: toName(path) };
  throw new KlausError('usage', 'Klaus cannot clone from this address.', { hint: HINT });
}

function withCredentials(): KlausError {
  return new KlausError('usage', 'The address contains a user name or a password.', {
    hint: 'Remove it. Git asks the credential helper of the user who runs the server (`git config credential.helper`); or use an SSH address.',
  });
}

function toName(path: string): string {
  const name = (
    path
      .replace(/[/\\]+$/, '')
      .split(/[/\\:]/)
      .at(-1) ?? ''
  ).replace(/\.git$/i, '');
  return name === '' || name === '.' || name === '..' || name.startsWith('-') ? 'repository' : name;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
