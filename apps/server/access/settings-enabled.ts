import type { Klaus } from '@klaus/sdk';
import { Refusal } from '../http/problem.ts';
import { readPresent } from './present-settings.ts';

/** @throws Refusal 403 if an administrator switched the settings of the server off. */
export async function checkSettingsEnabled(klaus: Pick<Klaus, 'configuration' | 'refresh'>): Promise<void> {
  const configuration = await readPresent(klaus);
  if (configuration.get('server.settings')) return;
  throw new Refusal(403, 'forbidden', {
    title: 'Settings and keys are switched off on this server.',
    detail:
      '`server.settings` is `false`. Change settings in `config.yaml`, and keys with `klaus login`, on its machine.',
  });
}
