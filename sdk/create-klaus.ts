import { optional } from '@klaus/core/optional';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createModels } from '@klaus/adapters/models';
import { createProcesses, createSandbox, type ProcessHome } from '@klaus/adapters/sandboxes';
import { createSqliteStore, lockFile, type SqliteStore } from '@klaus/adapters/store';
import { builtinTools, findCommitted, findIgnored } from '@klaus/adapters/tools';
import {
  createLayers,
  createSecretSource,
  createWorkspace,
  joinSecretSources,
  openFolder,
} from '@klaus/adapters/workspace';
import { createToolRegistry, type Engine, type Models } from '@klaus/core/agent';
import { AGENT_CONFIGURATION, createRedactor } from '@klaus/core/policy';
import { KlausError } from '@klaus/core/protocol';
import type { Configuration } from './config/configuration.ts';
import { toHome } from './config/home.ts';
import { loadConfiguration } from './config/load-configuration.ts';
import { exportTest } from './export/export-test.ts';
import { forkSession } from './sessions/fork-session.ts';
import { findCredentials } from './models/credentials.ts';
import { toEngineSettings, toModelsOptions, toSandboxOptions } from './engine/engine-settings.ts';
import { explain } from './grants/explain.ts';
import type { Klaus, KlausOptions } from './klaus.ts';
import { judgeCommandLine } from './judge-command-line.ts';
import { findLatestSession, toRealPath } from './sessions/latest-session.ts';
import { reportCheckpoint } from './engine/report-checkpoint.ts';
import { createListeners, type Listeners } from './sessions/listeners.ts';
import { observeSandbox, type SandboxStart } from './engine/observe-sandbox.ts';
import { openMemory } from './engine/open-memory.ts';
import { openSession } from './open/open-session.ts';
import { createReport } from './open/report-changes.ts';
import { createPolicyEngines } from './policy/policy-engines.ts';
import { checkAnswer, checkHunks, findQuestion } from './sessions/question.ts';
import { collectProcesses, createProcessViews, endProcesses } from './sessions/processes.ts';
import { createSession, type SessionParts } from './sessions/session.ts';
import {
  collectGarbage,
  createOpenSnapshots,
  type GcOptions,
  type GcSummary,
  type OpenSnapshots,
} from './engine/snapshots.ts';
import { createSystemClock } from './engine/system-clock.ts';
import { createSystemIds } from './engine/system-ids.ts';
import { type Traced, traceRuns } from './engine/trace-runs.ts';
import { readUsageReport } from './sessions/usage.ts';
import { listKnownModels } from './models/known-models.ts';
import { writeUserLimits } from './config/user-limits.ts';
import { readOwnInstructions } from './open/own-instructions.ts';
import { openWorkspaceFiles } from './workspace/workspace-files.ts';

const DAY_MS = 86_400_000;

/**
 * Puts Klaus together: the only place where adapters meet the core.
 *
 * @throws KlausError `config` for a wrong setting, `store.corrupt`, `store.full`.
 */
export async function createKlaus(options: KlausOptions = {}): Promise<Klaus> {
  const env = options.env ?? process.env;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = options.home === undefined ? toHome(env, cwd) : resolve(options.home);
  const { settings } = options;
  const configuration = await loadConfiguration({ env, home, cwd, ...(settings && { settings }) });
  const ids = createSystemIds();
  const digest = (text: string): string => ids.digest(text);
  const credentials = findCredentials(env, configuration.values.keys, configuration.values.sandbox.env);
  const redactor = createRedactor({ salt: 'host', digest, values: credentials });
  const redact = (text: string): string => redactor.redact(text);
  const store = createSqliteStore({ home, maxToolResultSize: configuration.get('maxToolResultSize'), redact });
  const traced = await traceRuns(store, { configuration, env });
  const snapshots = createOpenSnapshots(home);
  const processes = createProcesses({ home });
  const starts = createListeners<SandboxStart>();
  const engine = createEngine({ options, env, home, configuration, store, traced, snapshots, processes, starts });
  const tools = [...new Set([...builtinTools.map(({ name }) => name), ...engine.tools.names])];
  const inForce = createPolicyEngines({ engine, store, configuration, home, tools, digest, redact });
  const onNotice = options.onNotice ?? (() => {});
  const open = toOpen({ engine, store, inForce, report: createReport({ engine, env }) });
  const close = async (): Promise<void> => {
    try {
      await endProcesses(engine, processes);
      await snapshots.close();
      await traced.close();
    } finally {
      store.close();
    }
  };
  return {
    home,
    configuration,
    store,
    open: async (given = {}) => open(await openSession({ engine, configuration, inForce, given, cwd, env, onNotice })),
    async fork(idOrPrefix, given) {
      const forked = await forkSession({ engine, store }, toKnownSession(store, idOrPrefix), given);
      return { ...forked, session: open(forked.session) };
    },
    exportTest: (idOrPrefix) => exportTest({ engine, store }, toKnownSession(store, idOrPrefix)),
    session: (idOrPrefix) => open(toKnownSession(store, idOrPrefix)),
    policy: async (workspace) => inForce.policy(toRealPath(resolve(cwd, workspace ?? configuration.get('workspace')))),
    sessions: (query = {}) => store.sessions(query),
    usage({ session, by = session === undefined ? 'day' : 'model', since } = {}) {
      const of = session === undefined ? {} : { session: toKnownSession(store, session) };
      return readUsageReport(store, { by, ...of, ...optional({ since }) });
    },
    approvals: () => store.approvals({ open: true }),
    async answer(approval, answer, options = {}) {
      checkAnswer(approval, answer, options);
      const { by = 'sdk', note, hunks, scope } = options;
      const asked = findQuestion(store, approval);
      if (hunks) checkHunks(asked, hunks);
      const session = open(asked.session);
      await session.send({
        type: 'approve',
        approval: asked.approval,
        answer,
        by,
        ...optional({ note }),
        ...(hunks ? { hunks } : {}),
        ...(scope ? { scope } : {}),
      });
      return session;
    },
    ...createProcessViews({ engine, store, processes }),
    writeLimits: (limits) => writeUserLimits(home, limits),
    collectGarbage: ({ dryRun = true } = {}) => {
      const since = Date.now() - configuration.get('undo.keepDays') * DAY_MS;
      return collectAll({ store, home, dryRun, since }, processes);
    },
    forget: (idOrPrefix, { by = 'sdk' } = {}) => store.forget(idOrPrefix, by),
    question: (approval) => findQuestion(store, approval),
    search: (text, { limit = 50 } = {}) => store.searchMessages({ words: toSearchWords(text), limit }),
    models: () => listKnownModels(configuration),
    files: (workspace) => openWorkspaceFiles(engine, resolve(cwd, workspace ?? configuration.get('workspace'))),
    latest(options = {}) {
      const id = findLatestSession(options, { store, configuration, cwd, state: home });
      return id === undefined ? undefined : open(id);
    },
    judge: (command, given = {}) =>
      judgeCommandLine(command, { engine, configuration, cwd, inWorkspace: inForce.judging, ...given }),
    explain: (call, { session, ...given } = {}) =>
      explain(
        call,
        { ...given, ...(session === undefined ? {} : { session: toKnownSession(store, session) }) },
        { engine, configuration, cwd, inWorkspace: inForce.judging },
      ),
    memory: (workspace) => openMemory(engine, resolve(cwd, workspace ?? configuration.get('workspace'))),
    attach(added) {
      engine.tools.add(added);
      tools.push(...added.map(({ name }) => name));
    },
    redact,
    onSandboxStart: (listener) => starts.add(listener),
    lock: (name) => lockFile(join(home, `${name}.lock`)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Only letters and digits come into a query, so that nothing in it can be an operator. */
function toSearchWords(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 16);
}

/** @throws KlausError `usage` naming the nearest session. */
function toKnownSession(store: SqliteStore, idOrPrefix: string): string {
  const row = store.session(idOrPrefix);
  if (row) return row.id;
  const near = store.nearestSession(idOrPrefix);
  const hint = near === undefined ? 'klaus sessions lists them.' : `Did you mean ${near}?`;
  throw new KlausError('usage', `There is no session ${idOrPrefix}.`, { hint });
}

interface EngineInput {
  options: KlausOptions;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  configuration: Configuration;
  store: SqliteStore;
  snapshots: OpenSnapshots;
  processes: ProcessHome;
  starts: Listeners<SandboxStart>;
  traced: Traced;
}

function createEngine(input: EngineInput): Engine {
  const { options, env, home, configuration, store, traced, snapshots, processes, starts } = input;
  const ids = createSystemIds();
  const credentials = findCredentials(env, configuration.values.keys, configuration.values.sandbox.env);
  const builtin = options.builtinTools === false ? [] : builtinTools;
  let models: Models | undefined;
  const toModels = (): Models =>
    (models ??= createModels({
      ...toModelsOptions(configuration),
      ...(options.scripted ? { scripted: options.scripted } : {}),
      ...(options.onNotice ? { onNotice: options.onNotice } : {}),
    }));
  return {
    store: traced.store,
    models: { resolve: (name) => toModels().resolve(name), cheap: (model) => toModels().cheap(model) },
    tools: createToolRegistry([...builtin, ...(options.tools ?? [])]),
    clock: createSystemClock(),
    ids,
    settings: toEngineSettings(configuration, options),
    home,
    openWorkspace: (root) =>
      createWorkspace(root, { klausHome: home, stateDir: join(home, 'workspaces'), allowAny: true }),
    openFolder,
    readOwnInstructions: async () => readOwnInstructions(home),
    openSandbox: async ({ name, workspace, session, masks }) => {
      const sandbox = await createSandbox({
        ...toSandboxOptions(configuration),
        ...(options.hosts ? { hosts: options.hosts } : {}),
        workspace,
        home,
        choice: name,
        ...optional({ session }),
        masks,
        env,
        repositories: () => snapshots.repositories(workspace),
        // What is not there cannot be held without litter: whatever a command makes of it is taken back after its turn.
        protect: async () =>
          AGENT_CONFIGURATION.map((name) => join(workspace, name)).filter((path) => existsSync(path)),
      });
      return observeSandbox(sandbox, (start) => starts.tell(start));
    },
    openKnowledge: (workspace) => store.knowledge(workspace),
    openRecall: (session) => store.recall(session),
    openProcesses: (session) => processes.open(session),
    listProcesses: () => processes.list(),
    createRedactor: (session) =>
      createRedactor({ salt: session, digest: (text) => ids.digest(text), values: credentials }),
    checkpoint: reportCheckpoint,
    findCommitted,
    findIgnored,
    openSnapshots: (root) => snapshots.open(root),
    openLayers: perKey(async (root) => createLayers(root, { stateDir: join(home, 'layers'), klausHome: home })),
    openSecrets: perKey((root, { readable = [], ...given }) =>
      joinSecretSources(
        [root, ...readable].map((folder) => createSecretSource(folder, { ...given, cache: join(home, 'cache') })),
      ),
    ),
    remembered: (workspace, agent) => store.remembered({ workspace, agent }).map((row) => row.remembered),
    rules: [],
  };
}

async function collectAll(
  options: GcOptions,
  processes: Parameters<typeof collectProcesses>[0]['processes'],
): Promise<GcSummary & { processes: number }> {
  const freed = await collectProcesses({ ...options, processes });
  return { ...(await collectGarbage(options)), processes: freed };
}

function toOpen(parts: SessionParts): (id: string) => ReturnType<typeof createSession> {
  return (id) => createSession(parts, id);
}

/** Opens once for the same words. */
function perKey<A extends readonly unknown[], T>(open: (...key: A) => T): (...key: A) => T {
  const opened = new Map<string, T>();
  return (...key) => {
    const name = JSON.stringify(key);
    let value = opened.get(name);
    if (value === undefined) opened.set(name, (value = open(...key)));
    return value;
  };
}
