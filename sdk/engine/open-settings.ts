import { resolve } from 'node:path';
import { createRedactor, type Redactor, type SecretValue } from '@klaus/core/policy';
import { type Configurations, createConfigurations } from '../config/configurations.ts';
import { type ConfigurationInput, loadConfiguration } from '../config/load-configuration.ts';
import { createUserSettings } from '../config/setting-details.ts';
import type { KlausOptions } from '../klaus-options.ts';
import type { Klaus } from '../klaus.ts';
import { findCredentials } from '../models/credentials.ts';
import { createModelServers } from '../models/model-servers.ts';
import { openLocalServers } from '../models/local-servers.ts';
import { openMcpConfiguration } from '../mcp/mcp-configuration.ts';
import { followKeys } from '../models/followed-keys.ts';
import { openKeyStore } from '../models/provider-keys.ts';

export interface OpenedSettings {
  configurations: Configurations;
  /** Values that no log and no model may get. It grows when a key is set; a replaced key remains a secret. */
  credentials: readonly SecretValue[];
  /** Adds to them. */
  learn: (values: readonly SecretValue[]) => void;
  /** For text that belongs to no session. */
  redactor: Redactor;
  /** What clients do with them. */
  queries: Pick<Klaus, 'refresh' | 'settings' | 'keys' | 'modelServers' | 'localServers' | 'mcp' | 'diagnose'>;
}

/** Loads the settings, and follows changes of the user's files. @throws KlausError `config`. */
export async function openSettings(
  given: ConfigurationInput,
  { scripted, digest }: Pick<KlausOptions, 'scripted'> & { digest: (text: string) => string },
): Promise<OpenedSettings> {
  const { env, home, cwd, settings } = given;
  const configuration = await loadConfiguration(given);
  const credentials: SecretValue[] = findCredentials(env, configuration);
  const redactor = createRedactor({ salt: 'host', digest, values: credentials });
  const learn = (values: readonly SecretValue[]): void => {
    credentials.push(...values.filter(({ value }) => !credentials.some((known) => known.value === value)));
    redactor.learn(values);
  };
  const configurations = createConfigurations({
    input: given,
    own: configuration,
    onChange: (next) => learn(findCredentials(env, next)),
  });
  const refresh = () => configurations.refresh();
  const keys = openKeyStore({ env, cwd, home, settings });
  return {
    configurations,
    credentials,
    learn,
    redactor,
    queries: {
      refresh,
      settings: createUserSettings({ home, configurations }),
      keys: followKeys(keys, { learn, refresh }),
      modelServers: createModelServers({ home, env, configurations, learn }),
      localServers: openLocalServers({ env, cwd, home }),
      mcp: (folder = configurations.current.get('workspace')) =>
        openMcpConfiguration({ env, home, settings, cwd: resolve(cwd, folder) }),
      async diagnose() {
        const { diagnose } = await import('../diagnose/diagnose.ts');
        return diagnose({ env, cwd, home, scripted });
      },
    },
  };
}
