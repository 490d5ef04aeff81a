import { createSandbox } from '@klaus/adapters/sandboxes';
import type { SandboxName } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import { toSandboxOptions } from './engine-settings.ts';

/**
 * Opens the configured sandbox for the state folder, and fetches bubblewrap if it is missing and `sandbox.fetch` is true.
 * Returns the name of the driver.
 *
 * @throws KlausError `sandbox.unavailable`.
 */
export async function checkSandbox(
  configuration: Configuration,
  {
    home,
    env,
    onNotice,
  }: { home: string; env: Readonly<Record<string, string | undefined>>; onNotice: (text: string) => void },
): Promise<SandboxName> {
  const { sandbox } = configuration.values;
  const { name } = await createSandbox({
    ...toSandboxOptions(configuration),
    ...{ workspace: home, home, env, choice: sandbox.driver },
    ...(sandbox.fetch ? { onFetch: onNotice } : {}),
  });
  return name;
}
