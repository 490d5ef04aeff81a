import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoginStore } from '@klaus/adapters/mcp';
import { KlausError } from '@klaus/core/protocol';
import { z } from 'zod';
import { readFileText } from '../config/file-text.ts';
import type { KeyPlace } from '../config/stored-keys.ts';

/** A login is in the file itself, or the file says that the keyring has it. */
const fileSchema = z.record(
  z.string(),
  z.union([z.object({ in: z.literal('keyring') }), z.object({ text: z.string() })]),
);

/**
 * The login of a server at an address, where `klaus login` stores keys: in the keyring of the system, or in
 * `mcp-logins.json` of the state folder if there is none. Another address has another login.
 */
export function openLoginStore({ home, env }: KeyPlace, { name, url }: { name: string; url: string }): LoginStore {
  const path = join(home, 'mcp-logins.json');
  const key = `${name} ${url}`;
  const account = `mcp ${key} (${home})`;
  const readAll = (): z.infer<typeof fileSchema> => {
    const text = readFileText(path);
    if (text === undefined) return {};
    try {
      return fileSchema.parse(JSON.parse(text));
    } catch {
      // The text of the error could contain a part of a token.
      throw new KlausError('config', `${path} is damaged.`, { hint: 'Delete it, and log in again.' });
    }
  };
  const openKeyring = async () => (await import('@klaus/adapters/system')).createKeyring(env);
  return {
    async read() {
      const entry = readAll()[key];
      if (entry === undefined) return undefined;
      return 'text' in entry ? entry.text : (await openKeyring())?.read(account);
    },
    async write(text) {
      const isInKeyring = await (await openKeyring())?.store(account, text);
      const entry = isInKeyring ? { in: 'keyring' as const } : { text };
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, `${JSON.stringify({ ...readAll(), [key]: entry }, undefined, 2)}\n`, { mode: 0o600 });
      renameSync(draft, path);
    },
  };
}
