import { join, resolve } from 'node:path';
import { createModels } from '@klaus/adapters/models';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { createSqliteStore, type SqliteStore } from '@klaus/adapters/store';
import { builtinTools, createCheckpoint } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { createToolRegistry, type Engine, type Models } from '@klaus/core/agent';
import { createRedactor } from '@klaus/core/policy';
import { KlausError } from '@klaus/core/protocol';
import type { Configuration } from './config/configuration.ts';
import { toHome } from './config/home.ts';
import { loadConfiguration } from './config/load-configuration.ts';
import { findCredentials } from './credentials.ts';
import { toEngineSettings, toModelsOptions, toSandboxOptions } from './engine-settings.ts';
import type { Klaus, KlausOptions } from './klaus.ts';
import { openSession } from './open-session.ts';
import { createSession } from './session.ts';
import { createSystemClock } from './system-clock.ts';
import { createSystemIds } from './system-ids.ts';

/**
 * Puts Klaus together: the only place where adapters meet the core.
 *
 * @throws KlausError `config` for a wrong setting, `store.corrupt`, `store.full`.
 */
export async function createKlaus(options: KlausOptions = {}): Promise<Klaus> {
  const env = options.env ?? process.env;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = options.home === undefined ? toHome(env, cwd) : resolve(options.home);
  const configuration = await loadConfiguration({
    env,
    home,
    cwd,
    ...(options.settings ? { settings: options.settings } : {}),
  });
  const store = createSqliteStore({ home, maxToolResultSize: configuration.get('maxToolResultSize') });
  const engine = createEngine({ options, env, home, configuration, store });
  const open = (id: string) => createSession(engine, store, id);
  const close = async (): Promise<void> => store.close();
  return {
    home,
    configuration,
    store,
    open: async (given = {}) => open(await openSession({ engine, configuration, given, cwd })),
    session(idOrPrefix) {
      const row = store.session(idOrPrefix);
      if (row) return open(row.id);
      const near = store.nearestSession(idOrPrefix);
      const hint = near === undefined ? 'klaus sessions lists them.' : `Did you mean ${near}?`;
      throw new KlausError('usage', `There is no session ${idOrPrefix}.`, { hint });
    },
    sessions: (query = {}) => store.sessions(query),
    approvals: () => store.approvals({ open: true }),
    async answer(approval, answer, { by = 'sdk', note } = {}) {
      const row = store.approval(approval);
      if (!row)
        throw new KlausError('usage', `There is no approval ${approval}.`, {
          hint: 'klaus approvals lists the open ones.',
        });
      const session = open(row.session);
      await session.send({ type: 'approve', approval: row.id, answer, by, ...(note === undefined ? {} : { note }) });
      return session;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface EngineInput {
  options: KlausOptions;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  configuration: Configuration;
  store: SqliteStore;
}

function createEngine({ options, env, home, configuration, store }: EngineInput): Engine {
  const ids = createSystemIds();
  const credentials = findCredentials(env, configuration.values.keys);
  const builtin = options.builtinTools === false ? [] : builtinTools;
  let models: Models | undefined;
  const toModels = (): Models =>
    (models ??= createModels({
      ...toModelsOptions(configuration),
      ...(options.scripted ? { scripted: options.scripted } : {}),
      ...(options.onNotice ? { onNotice: options.onNotice } : {}),
    }));
  return {
    store,
    models: { resolve: (name) => toModels().resolve(name), cheap: (model) => toModels().cheap(model) },
    tools: createToolRegistry([...builtin, ...(options.tools ?? [])]),
    clock: createSystemClock(),
    ids,
    settings: toEngineSettings(configuration),
    home,
    openWorkspace: (root) =>
      createWorkspace(root, { klausHome: home, stateDir: join(home, 'workspaces'), allowAny: true }),
    openSandbox: ({ name, workspace }) =>
      createSandbox({ ...toSandboxOptions(configuration), workspace, home, choice: name }),
    createRedactor: (session) =>
      createRedactor({ salt: session, digest: (text) => ids.digest(text), values: credentials }),
    checkpoint: createCheckpoint,
  };
}
