import type { Klaus } from '@klaus/sdk';
import { Refusal } from '../http/problem.ts';

/** @throws Refusal 403 if an administrator switched the settings of the server off. */
export function checkSettingsEnabled({ configuration }: Pick<Klaus, 'configuration'>): void {
  if (configuration.get('server.settings')) return;
  throw new Refusal(403, 'forbidden', {
    title: 'Settings and keys are switched off on this server.',
    detail:
      '`server.settings` is `false`. Change settings in `config.yaml`, and keys with `klaus login`, on its machine.',
  });
}
