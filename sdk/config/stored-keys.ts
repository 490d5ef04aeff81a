import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, KlausError, type SettingKey } from '@klaus/core/protocol';
import { PROVIDER_NAMES, PROVIDER_TABLE, type ProviderKey, type ProviderName } from '@klaus/core/provider-table';
import type { FoundValue } from './configuration.ts';
import { readFileText } from './file-text.ts';

export interface KeyPlace {
  env: Readonly<Record<string, string | undefined>>;
  /** State folder, absolute. */
  home: string;
}

/** A key is in the file itself, or the file says that the keyring has it: only then is the keyring read. */
type StoredKey = { in: 'keyring' } | { in: 'file'; key: string };
type StoredKeys = Partial<Record<ProviderKey, StoredKey>>;

/** The keys of a provider by the last step of their setting. */
export function keysOf(provider: ProviderName): readonly ProviderKey[] {
  return Object.keys(PROVIDER_TABLE[provider].keys) as ProviderKey[];
}

export function toKeyFile(home: string): string {
  return join(home, 'keys.json');
}

/**
 * The keys that `klaus login` stored, as values of settings. A provider with a key from another source keeps that one;
 * its key in the file is in `unused`, because it remains a credential.
 *
 * @param isSet True for a setting that another source has.
 * @throws KlausError `config` for a file that is not one of Klaus.
 */
export async function findStoredKeys(
  place: KeyPlace,
  isSet: (key: SettingKey) => boolean,
): Promise<{ found: FoundValue[]; unused: Record<string, string> }> {
  const stored = readKeyFile(place.home);
  const found: FoundValue[] = [];
  const unused: Record<string, string> = {};
  for (const provider of PROVIDER_NAMES) {
    const isOther = keysOf(provider).some((name) => isSet(`keys.${name}`));
    for (const name of keysOf(provider)) {
      const entry = stored[name];
      if (entry === undefined) continue;
      if (isOther) {
        if (entry.in === 'file') unused[name] = entry.key;
        continue;
      }
      const base = { key: `keys.${name}` as const, folder: place.home };
      if (entry.in === 'file')
        found.push({ ...base, value: entry.key, source: 'key file', where: toKeyFile(place.home) });
      else {
        const value = await (await openKeyring(place.env))?.read(toAccount(place.home, name));
        if (value !== undefined) found.push({ ...base, value, source: 'keyring' });
      }
    }
  }
  return { found, unused };
}

/** Stores a key in the keyring, or in the key file if there is none. @returns Where it is now. */
export async function storeKey(place: KeyPlace, name: ProviderKey, key: string): Promise<StoredKey['in']> {
  const stored = readKeyFile(place.home);
  const isInKeyring = await (await openKeyring(place.env))?.store(toAccount(place.home, name), key);
  const entry: StoredKey = isInKeyring ? { in: 'keyring' } : { in: 'file', key };
  writeKeyFile(place.home, { ...stored, [name]: entry });
  return entry.in;
}

/**
 * Removes a stored key.
 *
 * @returns False if none is stored.
 * @throws KlausError `config` if the keyring does not remove it; then it remains listed.
 */
export async function removeKey(place: KeyPlace, name: ProviderKey): Promise<boolean> {
  const { [name]: entry, ...others } = readKeyFile(place.home);
  if (entry === undefined) return false;
  if (entry.in === 'keyring') {
    const account = toAccount(place.home, name);
    const keyring = await openKeyring(place.env);
    if (!(await keyring?.remove(account)) && (await keyring?.read(account)) !== undefined) {
      throw new KlausError('config', `The keyring does not remove ${account}.`, {
        hint: 'Remove it with the program of the system that manages passwords.',
      });
    }
  }
  writeKeyFile(place.home, others);
  return true;
}

/** Which keys are stored, and where, without reading the keyring. */
export function listStoredKeys(home: string): ReadonlyMap<ProviderKey, StoredKey['in']> {
  return new Map(Object.entries(readKeyFile(home)).map(([name, entry]) => [name as ProviderKey, entry.in]));
}

/** Two state folders do not share keys. */
function toAccount(home: string, name: ProviderKey): string {
  return `${name} (${home})`;
}

/** Loaded only for a key in the keyring, because every command reads the configuration. */
async function openKeyring(env: KeyPlace['env']) {
  return (await import('@klaus/adapters/system')).createKeyring(env);
}

function readKeyFile(home: string): StoredKeys {
  const path = toKeyFile(home);
  const text = readFileText(path);
  if (text === undefined) return {};
  try {
    const read: unknown = JSON.parse(text);
    if (isKeyFile(read)) return read;
  } catch {
    // The text of the error could contain a part of a key.
  }
  throw new KlausError('config', `${path} is damaged.`, { hint: 'Delete it, and run `klaus login` again.' });
}

function isKeyFile(value: unknown): value is StoredKeys {
  if (!isRecord(value)) return false;
  return Object.values(value as Record<string, Partial<{ in: unknown; key: unknown }> | null>).every(
    (entry) => entry?.in === 'keyring' || (entry?.in === 'file' && typeof entry.key === 'string'),
  );
}

function writeKeyFile(home: string, keys: StoredKeys): void {
  const path = toKeyFile(home);
  const draft = `${path}.${process.pid}`;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(draft, `${JSON.stringify(keys, undefined, 2)}\n`, { mode: 0o600 });
  // A draft that a crash left keeps the mode that it had.
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}
