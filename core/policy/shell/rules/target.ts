import { hasShortName, type NameComparison } from '../../names/name-comparison.ts';
import { isBelow } from '../../path.ts';
import type { HostFacts } from '../host/host-facts.ts';
import { placeOf, PROTECTED_NAMES, toRelative, type ProtectedPathKind } from '../../places.ts';
import { isSecretFile } from '../../secrets/secret-files.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { resolvePath } from '../expansion/resolve-path.ts';
import {
  ANY_NAME,
  couldBe,
  countKnown,
  hasGlob,
  isDynamic,
  isKnown,
  STAR,
  toGlobWord,
  type Word,
} from '../expansion/word.ts';
import { toSet } from '../../word-list.ts';

export interface ShellContext {
  /** Absolute. */
  workspace: string;
  secretPatterns: readonly string[];
  /** The command gets no network. */
  isOffline: boolean;
  /** How the file system of the workspace compares names. */
  names: NameComparison;
  /** For a command that runs without a sandbox. */
  host?: HostFacts;
}

export type Reach =
  | { kind: 'root' | 'temporary' | 'outside' | 'unknown'; path: string }
  | { kind: 'inside'; path: string; relative: string };

const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm', '/dev/fd'];
const HARMLESS = toSet('/dev/null /dev/stdout /dev/stderr /dev/stdin /dev/tty /dev/zero /dev/full');

/** The location of a path from each folder in which the command may run. */
export function reach(word: Word, command: SimpleCommand, context: ShellContext): Reach[] {
  return command.cwds.map((cwd) => {
    const path = followLinks(resolvePath(word, cwd), context);
    const { workspace } = context;
    if (isBelow(workspace, path) || couldHold(path, workspace)) return { kind: 'root', path };
    const relative = toRelative(path, workspace);
    if (relative !== undefined) return { kind: 'inside', path, relative };
    const isOfUser = context.host !== undefined && isBelow(path, context.host.userHome);
    if (HARMLESS.has(path) || (!isOfUser && TEMPORARY.some((folder) => isBelow(path, folder))))
      return { kind: 'temporary', path };
    return { kind: isDynamic(path.slice(0, 2)) ? 'unknown' : 'outside', path };
  });
}

/** A link in a path leads elsewhere. In the sandbox, the mounts decide. */
function followLinks(path: string, { host }: ShellContext): string {
  return host === undefined || !isKnown(path) || path.startsWith('/~') ? path : host.toReal(path);
}

/** True for a pattern of file names that can match the workspace, or a folder that contains it. */
function couldHold(path: Word, workspace: string): boolean {
  if (!hasGlob(path) || isDynamic(path)) return false;
  const parts = path.split('/');
  const folders = workspace.split('/');
  return parts.length <= folders.length && parts.every((part, at) => couldBe(part, folders[at] ?? ''));
}

/** Names of secret files to test patterns with. For those without a leading dot, a pattern needs known characters. */
const HIDDEN_SAMPLES = ['.env', '.env.local', '.env.production', '.netrc', '.git-credentials', '.pgpass', '.pypirc'];
const PLAIN_SAMPLES = ['id_rsa', 'id_ed25519', 'server.pem', 'server.key', 'credentials.json'];

/** The paths that a word can contain: `--file=x`, `HEAD:x`, `@x`, `if=x`. */
function toCandidates(word: Word): string[] {
  if (/\s/.test(word) || word.length > 512) return [];
  const out = [word];
  for (const match of word.matchAll(/[=:@,]/g)) out.push(word.slice(match.index + 1));
  const short = /^-[a-zA-Z](?=.)/.exec(word);
  if (short) out.push(word.slice(2));
  return out.filter((candidate) => candidate !== '');
}

/** True when the word names, or by its pattern can match, a file that holds credentials. */
export function namesSecret(word: Word, command: SimpleCommand, context: ShellContext): boolean {
  return toCandidates(word).some((candidate) => isSecret(candidate, command, context));
}

function isSecret(candidate: Word, command: SimpleCommand, context: ShellContext): boolean {
  const pattern = /[*?[]/.test(candidate) ? toGlobWord(candidate) : candidate;
  const last = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (isKnown(pattern)) {
    const paths = command.cwds.map(
      (cwd) => toRelative(resolvePath(pattern, cwd), context.workspace) ?? resolvePath(pattern, cwd),
    );
    if (/^\/(?:proc\/[^/]+\/environ|etc\/g?shadow)/.test(pattern)) return true;
    return paths.some((path) => isSecretFile(path, context.secretPatterns) || hasShortName(path, context.names));
  }
  if (isKnown(last)) return isSecretFile(last, context.secretPatterns);
  if (HIDDEN_SAMPLES.some((sample) => matches(last, sample, command))) return true;
  if (countKnown(last) < 2) return false;
  return PLAIN_SAMPLES.some(
    (sample) => couldBe(last, sample) && (sample !== 'credentials.json' || last.startsWith('c')),
  );
}

/** A pattern without known characters matches everything; other rules judge it by the command's effect. */
function matches(last: Word, sample: string, command: SimpleCommand): boolean {
  if (countKnown(last) === 0)
    return command.dotglob && hasGlob(last) && !isDynamic(last) && couldBe(last, sample, true);
  return couldBe(last, sample, command.dotglob);
}

/** True for a word that matches all names of a folder, also hidden ones. */
export function isEverything(word: Word, dotglob = false): boolean {
  const last = word.slice(word.lastIndexOf('/') + 1);
  return (last.includes(ANY_NAME) && countKnown(last) === 0) || (dotglob && last === STAR);
}

/** True for a last segment of wildcards alone: `*`, `.*`, `??*`, `*.*`. */
export function isBroad(word: Word): boolean {
  const last = word.replace(/\/+$/, '').replace(/^.*\//, '');
  return hasGlob(last) && countKnown(last.replaceAll('.', '')) === 0;
}

/** The kind of a protected path inside the workspace. A pattern counts if it can match one. */
export function protectedPlace(
  word: Word,
  command: SimpleCommand,
  context: ShellContext,
): Exclude<ProtectedPathKind, 'secret'> | undefined {
  for (const candidate of toCandidates(word)) {
    for (const found of reach(candidate, command, context)) {
      if (found.kind === 'outside' && found.path.startsWith('/~/')) {
        const place = placeOf(found.path.slice(3));
        if (place) return place;
      }
      if (found.kind !== 'inside') continue;
      const place = placeOf(found.relative);
      if (place) return place;
      const first = found.relative.split('/').find((part) => hasGlob(part));
      if (first !== undefined && countKnown(first) > 0) {
        const sample = PROTECTED_NAMES.find((name) => couldBe(first, name, command.dotglob));
        if (sample !== undefined) return placeOf(sample) ?? 'ci';
      }
    }
  }
  return undefined;
}

/** The path relative to the workspace if it is below it, else the absolute path. */
export function toInside(path: string, command: SimpleCommand, context: ShellContext): string {
  const full = resolvePath(path, command.cwds[0] ?? context.workspace);
  return full.startsWith(`${context.workspace}/`) ? full.slice(context.workspace.length + 1) : full;
}
