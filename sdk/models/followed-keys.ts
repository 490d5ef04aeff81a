import type { SecretValue } from '@klaus/core/policy';
import type { KeyStore } from './provider-keys.ts';

interface Followers {
  /** Receives each key, also one that is not stored: it must not reach a log. */
  learn: (values: readonly SecretValue[]) => void;
  /** Puts a change in force. */
  refresh: () => Promise<unknown>;
}

/** A key store whose changes are in force at once. */
export function followKeys(keys: KeyStore, { learn, refresh }: Followers): KeyStore {
  return {
    list: () => keys.list(),
    async check(provider, key) {
      if (key !== undefined) learn([{ name: provider, value: key }]);
      return keys.check(provider, key);
    },
    async store(provider, key) {
      learn([{ name: provider, value: key }]);
      const stored = await keys.store(provider, key);
      await refresh();
      return stored;
    },
    async remove(provider) {
      const isRemoved = await keys.remove(provider);
      await refresh();
      return isRemoved;
    },
  };
}
