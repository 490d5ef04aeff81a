import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createModels } from '@klaus/adapters/models';
import { readOwnSecrets } from '../config/own-secrets.ts';
import {
  createSandbox,
  createWebClient,
  findRegistries,
  openHostProxy,
  type ProcessHome,
} from '@klaus/adapters/sandboxes';
import {
  builtinTools,
  createCheckpoint,
  findCommitted,
  findIgnored,
  judgeContents,
  pushBranch,
  createUserGit,
} from '@klaus/adapters/tools';
import {
  createHostFiles,
  compareNames,
  createLayers,
  createSecretSource,
  createWorkspace,
  findConfiguredPlaces,
  findOriginal,
  findSharedObjects,
  findStateLinks,
  hasCopy,
  joinSecretSources,
  openFolder,
} from '@klaus/adapters/workspace';
import { createToolRegistry, type Engine, type Models, type SessionStore, type ToolContext } from '@klaus/core/agent';
import { AGENT_CONFIGURATION, createRedactor, type SecretValue } from '@klaus/core/policy';
import { createHookHost } from '../hooks/hook-host.ts';
import { openSkills } from '../skills/skills.ts';
import { openAgents } from '../agents/agents.ts';
import type { Configuration } from '../config/configuration.ts';
import type { Configurations } from '../config/configurations.ts';
import { toNamedHome, toUserHome } from '../config/home.ts';
import { toEngineSettings, toModelsOptions, toSandboxOptions } from './engine-settings.ts';
import { readFolderSince } from './folder-identity.ts';
import { readEditsSince } from './edits-since.ts';
import { createSessionFinder } from './sessions-in.ts';
import { createOpenRedactors, type OpenRedactors } from './open-redactors.ts';
import { observeSandbox, type SandboxStart } from './observe-sandbox.ts';
import type { OpenSnapshots } from './snapshots.ts';
import { checkRealFolder } from './check-real-folder.ts';
import { checkStateLinks } from './state-links.ts';
import { createSystemIds } from './system-ids.ts';
import type { Traced } from './trace-runs.ts';
import type { KlausOptions } from '../klaus-options.ts';
import { findSecret } from '../models/credentials.ts';
import { openSessionTools } from '../mcp/open-session-tools.ts';
import { openChild } from '../open/open-child.ts';
import { readOwnInstructions } from '../open/user-instructions.ts';

export interface EngineInput {
  options: KlausOptions;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  configurations: Configurations;
  /** Values that no log and no model may get. It grows when a key is set. */
  credentials: readonly SecretValue[];
  /** Adds to them. */
  learn: (values: readonly SecretValue[]) => void;
  store: SessionStore;
  snapshots: OpenSnapshots;
  processes: ProcessHome;
  onStart: (start: SandboxStart) => void;
  traced: Traced;
  /** Limits beyond sessions. Default: none. */
  admit?: NonNullable<Engine['admit']>;
}

/**
 * Connects the adapters to the ports of the engine. The engines of all projects share what does not depend on settings.
 *
 * @returns Creates the engine with the settings of a project.
 */
export function createEngines(input: EngineInput): (configuration: Configuration) => Engine {
  const { options, home, env, snapshots, onStart } = input;
  const redactors = createOpenRedactors();
  const shared = toShared(input, redactors);
  const learn = (values: readonly SecretValue[]): void => {
    input.learn(values);
    redactors.learn(values);
  };
  return (configuration) => {
    let models: Models | undefined;
    const toModels = (): Models =>
      (models ??= createModels({
        ...toModelsOptions(configuration, { home, aiProviders: options.aiProviders }),
        env,
        scripted: options.scripted,
        onSecret: (secret) => learn([secret]),
        onNotice: options.onNotice,
      }));
    const engine: Engine = {
      ...shared,
      models: { resolve: (name) => toModels().resolve(name), cheap: (model) => toModels().cheap(model) },
      settings: toEngineSettings(configuration, options),
      userGit: createUserGit(env, { signs: configuration.values.git.sign }),
      openSandbox: async ({ name, workspace, beside = [], session, masks, protect, variables = [] }) => {
        checkRealFolder(workspace);
        checkStateLinks(shared.linkedState?.() ?? [], [workspace, ...beside]);
        const { shell, ...settings } = toSandboxOptions(configuration);
        const sandbox = await createSandbox({
          ...settings,
          variables: [...(settings.variables ?? []), ...variables],
          hosts: options.hosts,
          session,
          choice: name,
          // The machine on which the session was opened may have had it.
          ...(configuration.values.sandbox.fetch ? { onFetch: options.onNotice ?? (() => {}) } : {}),
          workspace,
          home,
          objects: findSharedObjects(home, workspace),
          masks,
          env,
          repositories: () => snapshots.repositories(workspace),
          // A missing file cannot be protected without creating it: what a command creates there is undone after its turn.
          protect: async () => [
            ...AGENT_CONFIGURATION.map((name) => join(workspace, name)).filter((path) => existsSync(path)),
            ...((await protect?.()) ?? []),
          ],
        });
        return observeSandbox(sandbox, onStart, shell);
      },
      openChild: (request) => openChild({ engine, configuration }, request),
    };
    return engine;
  };
}

function toShared(
  input: EngineInput,
  redactors: OpenRedactors,
): Omit<Engine, 'models' | 'settings' | 'openSandbox' | 'openChild' | 'userGit'> {
  const { options, env, home, configurations, credentials, store, traced, snapshots, processes } = input;
  const ids = createSystemIds();
  const named = toNamedHome(env, resolve(options.cwd ?? process.cwd()), options.home);
  const linkedState = (): string[] => findStateLinks(named);
  const builtin = options.builtinTools === false ? [] : [...builtinTools, pushBranch];
  const clock = createSystemClock();
  const hostFiles = createHostFiles(toUserHome(env));
  const tools = createToolRegistry([...builtin, ...(options.tools ?? [])]);
  const layersOf = perKey(async (root: string) =>
    createLayers(root, { stateDir: join(home, 'layers'), klausHome: home }),
  );
  return {
    store: traced.store,
    admit: input.admit,
    tools,
    clock,
    ids,
    home,
    linkedState,
    async openWorkspace(root) {
      checkRealFolder(root);
      return createWorkspace(root, { klausHome: home, stateDir: join(home, 'workspaces'), allowAny: true });
    },
    openFolder,
    hostFiles,
    openBuffers: options.buffers,
    readOwnInstructions: async () => readOwnInstructions(home),
    openSessionTools: (opened, host) => openSessionTools(opened, { home, env, host }),
    openAgents: (workspace) =>
      openAgents(
        { home, tools, clock, store: traced.store },
        {
          workspace,
          userHome: toUserHome(env),
          registries: () => findRegistries(env).hosts,
          model: () => configurations.current.values.model,
        },
      ),
    openSkills: (workspace) => openSkills({ workspace, home: toUserHome(env), state: home }, () => tools.names),
    openKnowledge: (workspace) => store.knowledge(workspace),
    openRecall: (session) => store.recall(session),
    openProcesses: (session) => processes.open(session),
    listProcesses: () => processes.list(),
    openProxy: (rules) => openHostProxy({ rules, env }),
    registries: () => findRegistries(env).hosts,
    openWeb: (rules) => createWebClient({ rules, env }),
    findSecret: (name) => findSecret(configurations.current, name),
    createRedactor: (session) =>
      redactors.add(
        createRedactor({
          salt: session,
          digest: (text) => ids.digest(text),
          values: [...credentials, ...readOwnSecrets(hostFiles, home)],
        }),
      ),
    checkpoint: reportCheckpoint,
    findCommitted,
    judgeContents,
    findIgnored,
    async openSnapshots(root) {
      checkRealFolder(root);
      return snapshots.open(root);
    },
    async openLayers(root) {
      checkRealFolder(root);
      return layersOf(root);
    },
    compareNames,
    openSecrets: perKey((root, { readable = [], ...given }) =>
      joinSecretSources(
        [root, ...readable].map((folder) => createSecretSource(folder, { ...given, cache: join(home, 'cache') })),
      ),
    ),
    hasCopy: async (name) => hasCopy(home, name),
    editsSince: (workspace, since) => readEditsSince({ store, home }, workspace, since),
    sessionsIn: createSessionFinder(store),
    configuredPlaces: (workspace, tops) => findConfiguredPlaces(findOriginal(home, workspace) ?? workspace, tops),
    async remembered(workspace, agent) {
      const rows = await store.remembered({ workspace, agent });
      // The workers of a cluster create folders again.
      const since = input.admit === undefined ? readFolderSince(home, workspace) : 0;
      return rows.filter(({ createdAt }) => Date.parse(createdAt) >= since).map((row) => row.remembered);
    },
    rules: [],
    openDiagnostics: async (given) => (await import('@klaus/adapters/lsp')).openDiagnostics(given),
    openFormatter: async (given) => (await import('@klaus/adapters/format')).openFormatter(given),
    hooks: createHookHost({ home: toUserHome(env), state: home }),
    openRunner: async (name) =>
      name === options.wrapRunner?.name
        ? options.wrapRunner
        : (await import('@klaus/adapters/runners')).openRunner(name),
  };
}

/** Opens one value for equal keys. */
function perKey<A extends readonly unknown[], T>(open: (...key: A) => T): (...key: A) => T {
  const opened = new Map<string, T>();
  return (...key) => {
    const name = JSON.stringify(key);
    let value = opened.get(name);
    if (value === undefined) opened.set(name, (value = open(...key)));
    return value;
  };
}

/** Milliseconds. Shorter checkpoints are not reported. */
const EVERY_MS = 1_000;

/** Creates a checkpoint. One that takes more than a second reports its duration every second. */
async function reportCheckpoint(context: ToolContext, message: string): ReturnType<typeof createCheckpoint> {
  const begun = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begun) / 1_000);
    context.progress(`saving a checkpoint of the workspace, ${seconds} s\n`);
  }, EVERY_MS);
  try {
    return await createCheckpoint(context, message);
  } finally {
    clearInterval(timer);
  }
}

function createSystemClock(): Engine['clock'] {
  return {
    now: () => Date.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const done = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal?.addEventListener('abort', done, { once: true });
      }),
    every(ms, tick) {
      const timer = setInterval(tick, ms);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
