import { join } from 'node:path';
import { checkSettingsEnabled } from '../../access/settings-enabled.ts';
import type { PartialHandlers } from '../../http/handler.ts';

export const settingHandlers = {
  async configuration(_given, { klaus }) {
    await checkSettingsEnabled(klaus);
    return { settings: await klaus.settings.list(), file: join(klaus.home, 'config.yaml') };
  },

  async changeSetting({ params, body }, { klaus }) {
    await checkSettingsEnabled(klaus);
    return await klaus.settings.change(params.key, body.value);
  },

  async checks(_given, { klaus }) {
    await checkSettingsEnabled(klaus);
    const findings = await klaus.diagnose();
    return { checks: findings.map(({ code: _, ...finding }) => finding) };
  },
} satisfies PartialHandlers;
