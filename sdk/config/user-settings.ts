import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readForeignFileSync } from '@klaus/adapters/system';
import type { Document } from 'yaml';
import { KlausError, type Setting, type SettingKey, SETTINGS, toAllowed } from '@klaus/core/protocol';
import { fromYaml } from './yaml-values.ts';

/** Values by key; undefined removes the key, so that a weaker source or the default applies. */
export type SettingChanges = Partial<Record<SettingKey, unknown>>;

/**
 * Writes settings into the user's own configuration, `config.yaml` in the state folder. All other content, comments
 * included, does not change.
 *
 * @param home `KLAUS_HOME`.
 * @returns The path of the file.
 * @throws KlausError `config` for a value that the setting does not allow, and for a file that cannot be read or
 *   written; nothing is written then.
 */
export async function writeUserSettings(home: string, changes: SettingChanges): Promise<string> {
  const valid = Object.entries(changes).map(([key, value]) => [key, toValid(key as SettingKey, value)] as const);
  return writeFile(home, {
    change: (document) => valid.forEach(([key, value]) => put(document, key, value)),
    isWritten: (found) => valid.every(([key, value]) => JSON.stringify(found(key)) === JSON.stringify(value)),
    names: valid.map(([key]) => key),
  });
}

/**
 * Adds, replaces or removes (undefined) one entry of a setting that has entries by name.
 *
 * @returns The path of the file.
 * @throws KlausError `config` as {@link writeUserSettings}.
 */
export async function writeUserEntry(
  home: string,
  { key, name }: { key: SettingKey; name: string },
  entry: object | undefined,
): Promise<string> {
  if (entry !== undefined) toValid(key, { [name]: entry });
  return writeFile(home, {
    change(document) {
      const at = [key, name];
      if (entry === undefined) remove(document, at);
      else {
        if (document.get(key) === null) document.delete(key);
        document.setIn(at, entry);
      }
    },
    isWritten: (found) =>
      isDeepStrictEqual(
        (found(key) as Record<string, unknown> | undefined)?.[name],
        entry === undefined ? entry : plain(entry),
      ),
    names: [key],
  });
}

/** Without absent fields, as it is read again. */
function plain(entry: object): unknown {
  return JSON.parse(JSON.stringify(entry));
}

interface Change {
  change: (document: Document) => void;
  /** Whether a file has the new values. */
  isWritten: (found: (key: string) => unknown) => boolean;
  /** Keys that change, for messages. */
  names: readonly string[];
}

async function writeFile(home: string, given: Change): Promise<string> {
  const path = join(home, 'config.yaml');
  const text = existsSync(path)
    ? readForeignFileSync(path).text
    : '# Settings of Klaus. `klaus config` prints all of them.\n';
  const { isMap, parseDocument } = await import('yaml');
  const document = parseDocument(text);
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) {
    throw new KlausError('config', `${path} is not a YAML mapping.`, { hint: 'Fix or remove it.' });
  }
  given.change(document);
  // An empty mapping would be written as `{}`, and later settings inside of the braces.
  if (isMap(document.contents) && document.contents.items.length === 0) document.contents = null;
  const written = document.contents === null && document.commentBefore === null ? '' : document.toString();
  await check(written, { path, home, ...given });
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, written, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new KlausError('config', `${path} cannot be written: ${code}`, {
      hint: 'Give your user write permission for the file and its folder.',
      cause: error,
    });
  }
  return path;
}

function toValid(key: SettingKey, value: unknown): unknown {
  if (value === undefined) return undefined;
  const setting: Setting = SETTINGS[key];
  const parsed = setting.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new KlausError('config', `${key}: this value is not allowed.`, { hint: `Allowed: ${toAllowed(setting)}.` });
}

/** Sets a value where the file has it, else as a nested mapping. */
function put(document: Document, key: string, value: unknown): void {
  const paths = toPaths(key.split('.'));
  const used = paths.find((path) => document.hasIn(path));
  for (const path of paths) if (path !== used || value === undefined) remove(document, path);
  if (value !== undefined) document.setIn(used ?? key.split('.'), value);
}

/** Every way to write a key: `a.b.c`, `a: {b.c: …}`, `a: {b: {c: …}}`. */
function toPaths([first = '', ...rest]: readonly string[]): string[][] {
  if (rest.length === 0) return [[first]];
  return [...toPaths(rest).map((path) => [first, ...path]), ...toPaths([`${first}.${rest[0]!}`, ...rest.slice(1)])];
}

/** Removes a key, and the groups that are empty without it. */
function remove(document: Document, path: readonly string[]): void {
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  for (let above = path.slice(0, -1); above.length > 0; above = above.slice(0, -1)) {
    const group = document.getIn(above) as { items?: readonly unknown[] } | null | undefined;
    if (group?.items?.length === 0) document.deleteIn(above);
  }
}

/** A file that this function writes has the new values when it is read. @throws KlausError `config`. */
async function check(
  text: string,
  { path, home, isWritten, names }: Omit<Change, 'change'> & { path: string; home: string },
): Promise<void> {
  const found = new Map(
    (await fromYaml(text, { path, source: 'user file', folder: home })).map(({ key, value }) => [key as string, value]),
  );
  if (isWritten((key) => found.get(key))) return;
  throw new KlausError('config', `${path} cannot be changed without changes to other parts of it.`, {
    hint: `Set ${names.join(', ')} in the file with an editor.`,
  });
}
