import type { SecretValue } from '@klaus/core/policy';
import {
  isKlausError,
  KlausError,
  type ModelServerSettings,
  modelServerNameSchema,
  modelServerSchema,
  type SettingValues,
} from '@klaus/core/protocol';
import type { Configurations } from '../config/configurations.ts';
import { hideSecrets } from '../config/shown.ts';
import { writeUserEntry, writeUserSettings } from '../config/user-settings.ts';
import { checkModel, type KeyCheck } from './provider-keys.ts';

/** An entry of `servers`. No key is part of it. */
export interface ConfiguredServer {
  name: string;
  /** Without user and query. */
  baseUrl: string;
  wire: ModelServerSettings['wire'];
  /** True with a key or a command that prints one. */
  hasKey: boolean;
  /** Full names of the models that the entry names. */
  models: string[];
}

/** A compatible server, as a user names it. */
export interface GivenServer extends Pick<ModelServerSettings, 'baseUrl' | 'wire' | 'key'> {
  /** The server's id of a model. */
  model?: string;
}

export type ServerCheck = KeyCheck & {
  /** Ids of the models that the server lists. */
  models: string[];
};

/** The servers of models that have a name in the settings of the user. */
export interface ModelServers {
  list(): Promise<ConfiguredServer[]>;
  /** Reads the list of models, and with a model sends one small request to it. @throws KlausError `config`. */
  check(server: GivenServer): Promise<ServerCheck>;
  /** The same for an entry, with its first model. @throws KlausError `usage` for an unknown name. */
  checkEntry(name: string): Promise<ServerCheck>;
  /**
   * Adds an entry of `servers`. An entry is never replaced: its key would be sent to another address.
   *
   * @param isDefault The model becomes the default of new sessions.
   * @throws KlausError `usage` for a name that is taken, `config` for a wrong name or address.
   */
  add(name: string, server: GivenServer, isDefault?: boolean): Promise<void>;
  /** @throws KlausError `usage` for an unknown name. */
  remove(name: string): Promise<void>;
}

interface ModelServersOptions {
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  configurations: Configurations;
  /** Receives each key, also one that is not stored: it must not reach a log. */
  learn: (values: readonly SecretValue[]) => void;
}

type Servers = NonNullable<SettingValues['servers']>;

export function createModelServers({ home, env, configurations, learn }: ModelServersOptions): ModelServers {
  const read = async (): Promise<Servers> => (await configurations.refresh()).values.servers ?? {};
  const find = async (name: string): Promise<ModelServerSettings> => {
    const servers = await read();
    if (Object.hasOwn(servers, name)) return servers[name]!;
    throw new KlausError('usage', `There is no server ${name} in the settings.`, {
      hint: `Servers: ${Object.keys(servers).join(', ') || 'none'}.`,
    });
  };
  const check = async (settings: ModelServerSettings, model: string | undefined): Promise<ServerCheck> => {
    const [{ createModels, listServedModels }, { values }] = await Promise.all([
      import('@klaus/adapters/models'),
      configurations.refresh(),
    ]);
    const { caFile } = values.network;
    const listed = await listServedModels(settings, { env, caFile });
    const models = listed.ids ?? [];
    if (model === undefined) return { ...toResult(listed), models };
    const keys = settings.key === undefined ? [] : [settings.key];
    try {
      const all = createModels({ keys: {}, servers: { checked: settings }, env, caFile });
      return { ...(await checkModel(await all.resolve(`checked/${model}`), keys)), models };
    } catch (error) {
      if (!isKlausError(error)) throw error;
      return { result: 'unknown', message: error.message, models };
    }
  };
  return {
    list: async () =>
      Object.entries(await read()).map(([name, settings]): ConfiguredServer => {
        const { baseUrl, wire, key, keyCommand } = settings;
        return {
          ...{ name, baseUrl: hideSecrets(baseUrl), wire },
          hasKey: key !== undefined || keyCommand !== undefined,
          models: listIds(settings).map((id) => `${name}/${id}`),
        };
      }),
    async check(given) {
      const settings = toSettings(given, learn);
      return check(settings, given.model);
    },
    async checkEntry(name) {
      const settings = await find(name);
      return check(settings, listIds(settings)[0]);
    },
    async add(name, given, isDefault = false) {
      toSettings(given, learn);
      if (!modelServerNameSchema.safeParse(name).success) {
        throw new KlausError('config', 'This is no name for a server.', {
          hint: 'Allowed: lower-case letters, digits and `-`, and not the name of a provider.',
        });
      }
      if (Object.hasOwn(await read(), name)) {
        throw new KlausError('usage', `There is a server ${name} already.`, {
          hint: 'Choose another name, or remove it.',
        });
      }
      const { model, ...entry } = given;
      const models = model === undefined ? {} : { models: { [model]: {} } };
      await writeUserEntry(home, { key: 'servers', name }, { ...entry, ...models });
      if (isDefault && model !== undefined) await writeUserSettings(home, { model: `${name}/${model}` });
      await configurations.refresh();
    },
    async remove(name) {
      await find(name);
      await writeUserEntry(home, { key: 'servers', name }, undefined);
      await configurations.refresh();
    },
  };
}

function listIds({ models = {}, tiers = {} }: ModelServerSettings): string[] {
  return [...new Set([...Object.keys(models), ...Object.values(tiers)])];
}

/** @throws KlausError `config` without the text, which can contain a key. */
function toSettings({ model: _, ...given }: GivenServer, learn: ModelServersOptions['learn']): ModelServerSettings {
  if (given.key !== undefined) learn([{ name: 'server', value: given.key }]);
  const parsed = modelServerSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const isKey = parsed.error.issues.some(({ path }) => path[0] === 'key');
  throw new KlausError('config', isKey ? 'This is no key.' : 'This is no base URL.', {
    hint: isKey
      ? 'Allowed: printable ASCII without spaces.'
      : 'Write it as in the documentation of the server, such as `http://127.0.0.1:8000/v1`, without a user and a fragment.',
  });
}

function toResult({ status, ids }: { status: number | undefined; ids: string[] | undefined }): KeyCheck {
  if (ids !== undefined) return { result: 'accepted' };
  if (status === undefined) return { result: 'unknown', message: 'The server did not answer.' };
  if (status === 401 || status === 403) return { result: 'refused', message: `The server answered with ${status}.` };
  return { result: 'unknown', message: `The server lists no models (${status}). Name one.` };
}
