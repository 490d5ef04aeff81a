import { RequestError, type AuthStatusResponse } from '@agentclientprotocol/sdk/unstable';
import type { EditorSessions } from './editor-sessions.ts';
import { KEY_METHOD } from './initialize-response.ts';

/** Whether a model can be used, and where the keys of this machine come from. */
export async function readStatus(sessions: EditorSessions): Promise<AuthStatusResponse> {
  const isUsable = await hasKey(sessions);
  const accounts = isUsable && !sessions.isRemote ? await readAccounts(sessions) : [];
  return {
    state: isUsable ? 'authenticated' : 'unauthenticated',
    ...(accounts.length > 0 ? { accounts } : {}),
  };
}

/**
 * Reads the keys again, so that one that was stored since is used without a new start.
 *
 * @throws RequestError -32602 for an unknown method, -32000 without a key.
 */
export async function authenticate(sessions: EditorSessions, methodId: string): Promise<object> {
  if (methodId !== KEY_METHOD) throw RequestError.invalidParams({ methodId }, 'There is no such method.');
  sessions.expire();
  if (await hasKey(sessions)) return {};
  throw RequestError.authRequired({ methodId }, 'no key of a model provider is set. Run `klaus login`.');
}

/**
 * Deletes the keys that `klaus login` stored.
 *
 * @throws RequestError -32601 at a server, whose keys they are; -32600 if a key remains that is not stored, such as one
 *   of the environment.
 */
export async function logOut(sessions: EditorSessions): Promise<object> {
  if (sessions.isRemote) throw RequestError.methodNotFound('logout');
  const { openKeyStore } = await import('@klaus/sdk');
  const keys = openKeyStore({ cwd: sessions.cwd });
  for (const { provider, stored } of await keys.list()) if (stored !== undefined) await keys.remove(provider);
  sessions.expire();
  const left = (await keys.list()).flatMap(({ source, title, where }) =>
    source === undefined ? [] : [`${title} from the ${source}${where === undefined ? '' : ` (${where})`}`],
  );
  if (left.length === 0) return {};
  const text = `The stored keys are deleted. Remove the other keys where they are set: ${left.join(', ')}.`;
  throw new RequestError(-32_600, text, { code: 'usage', details: text });
}

async function hasKey(sessions: EditorSessions): Promise<boolean> {
  const isUsable = (await (await sessions.client()).models()).some(({ usable }) => usable);
  if (!isUsable) sessions.expire();
  return isUsable;
}

async function readAccounts({ cwd }: EditorSessions) {
  const { openKeyStore } = await import('@klaus/sdk');
  return (await openKeyStore({ cwd }).list()).flatMap(({ source, title }) =>
    source === undefined ? [] : [{ label: `${title}, key from the ${source}`, active: true }],
  );
}
