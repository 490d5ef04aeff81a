import type { KeyCheck, Klaus, ProviderKeys } from '@klaus/sdk';
import type { KeyTest, ProviderKeysView } from '../../contract/settings/key-routes.ts';
import { checkSettingsEnabled } from '../../access/settings-enabled.ts';
import type { PartialHandlers } from '../../http/handler.ts';

/** Results by engine and provider, for the key that is in use. They end with the process. */
const tests = new WeakMap<Klaus, Map<string, KeyTest>>();

export const keyHandlers = {
  async keys(_given, { klaus }) {
    await checkSettingsEnabled(klaus);
    return { providers: (await klaus.keys.list()).map((each) => toView(klaus, each)) };
  },

  async setKey({ params, body }, { klaus }) {
    await checkSettingsEnabled(klaus);
    const { provider } = params;
    const key = body.key.trim();
    const test = toTest(await klaus.keys.check(provider, key));
    const isStored = test.result === 'accepted' || body.force;
    if (isStored) await klaus.keys.store(provider, key);
    const after = await findProvider(klaus, provider);
    // The test says nothing about a stronger key that stays in use.
    if (isStored && isStoredInUse(after)) remember(klaus, after.provider, test);
    return { isStored, test, provider: toView(klaus, after) };
  },

  async testKey({ params: { provider } }, { klaus }) {
    await checkSettingsEnabled(klaus);
    const test = toTest(await klaus.keys.check(provider));
    remember(klaus, provider.toLowerCase(), test);
    return { test };
  },

  async removeKey({ params: { provider } }, { klaus }) {
    await checkSettingsEnabled(klaus);
    const isRemoved = await klaus.keys.remove(provider);
    if (isRemoved) tests.get(klaus)?.delete(provider.toLowerCase());
    return { isRemoved, provider: toView(klaus, await findProvider(klaus, provider)) };
  },
} satisfies PartialHandlers;

function remember(klaus: Klaus, provider: string, test: KeyTest): void {
  const known = tests.get(klaus) ?? new Map<string, KeyTest>();
  tests.set(klaus, known.set(provider, test));
}

function isStoredInUse({ source }: ProviderKeys): boolean {
  return source === 'keyring' || source === 'key file';
}

/** The name was checked before. */
async function findProvider(klaus: Klaus, name: string): Promise<ProviderKeys> {
  return (await klaus.keys.list()).find(({ provider }) => provider === name.toLowerCase())!;
}

function toTest(check: KeyCheck): KeyTest {
  return { result: check.result, message: check.result === 'accepted' ? null : check.message, at: Date.now() };
}

function toView(klaus: Klaus, { provider, title, variables, source, where, stored }: ProviderKeys): ProviderKeysView {
  return {
    ...{ provider, title, variables: [...variables] },
    source: source ?? null,
    where: where ?? null,
    stored: stored ?? null,
    test: (source && tests.get(klaus)?.get(provider)) ?? null,
  };
}
