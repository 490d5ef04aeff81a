import { join, resolve } from 'node:path';
import { closeIdleContainers, createProcesses } from '@klaus/adapters/sandboxes';
import { createSqliteStore, lockFile, type SqliteStore } from '@klaus/adapters/store';
import { builtinTools } from '@klaus/adapters/tools';
import { createCopies, findOriginal } from '@klaus/adapters/workspace';
import type { Engine, SessionStore, Snapshots } from '@klaus/core/agent';
import type { SandboxName } from '@klaus/core/protocol';
import { setupOf } from './copies/open-copy.ts';
import { createWorkingCopies } from './copies/working-copies.ts';
import type { Configuration } from './config/configuration.ts';
import { toHome } from './config/home.ts';
import { checkSandbox } from './engine/check-sandbox.ts';
import { createEngines, type EngineInput } from './engine/create-engine.ts';
import type { SandboxStart } from './engine/observe-sandbox.ts';
import { openSettings } from './engine/open-settings.ts';
import { createProjects } from './engine/projects.ts';
import { collectGarbage, createOpenSnapshots } from './engine/snapshots.ts';
import { createSystemIds } from './engine/system-ids.ts';
import { trustCertificates } from './engine/trust-certificates.ts';
import { traceRuns } from './engine/trace-runs.ts';
import { exportTest } from './export/export-test.ts';
import { explain, judgeCommandLine } from './grants/explain.ts';
import { toUserHome } from './config/home.ts';
import { shareSession } from './share/share-session.ts';
import type { KlausOptions } from './klaus-options.ts';
import type { Klaus } from './klaus.ts';
import { listKnownModels } from './models/known-models.ts';
import { openSession, type OpenInput } from './open/open-session.ts';
import { createLostAccessReport } from './open/report-lost-access.ts';
import { type PolicyEngines, createPolicyEngines } from './policy/policy-engines.ts';
import { collectProcesses, createProcessQueries, endProcesses } from './sessions/background-processes.ts';
import { forkSession } from './sessions/fork-session.ts';
import { findKnownSession } from './sessions/find-known-session.ts';
import { findLatestSession } from './sessions/latest-session.ts';
import { createApprovals } from './sessions/approvals.ts';
import type { Session } from './sessions/session-handle.ts';
import { createSession } from './sessions/session.ts';
import { readUsageReport } from './sessions/usage-report.ts';
import { createWorkspaceQueries } from './workspace/workspace-queries.ts';

const DAY_MS = 86_400_000;

/** Opens the store of one machine. */
const openSqlite = ({ home, configuration, redact }: StoreInput): SqliteStore =>
  createSqliteStore({ home, maxToolResultSize: configuration.get('maxToolResultSize'), redact });

/** What a store is opened with. */
export interface StoreInput {
  /** Absolute path of the state folder. */
  home: string;
  configuration: Configuration;
  redact: (text: string) => string;
}

/** What several machines add. */
interface Extensions {
  wrapSnapshots?: NonNullable<Parameters<typeof createOpenSnapshots>[1]>['wrap'];
  admit?: NonNullable<EngineInput['admit']>;
}

/** Klaus over another store. */
export type KlausOver<S extends SessionStore> = Omit<Klaus, 'store'> & {
  readonly store: S;
  /** The snapshots of a workspace. @throws KlausError `workspace.missing`. */
  openSnapshots(root: string): Promise<Snapshots>;
  /** Checks that commands have a sandbox here. See `checkSandbox` of `engine/check-sandbox.ts`. */
  checkSandbox(): Promise<SandboxName>;
  /** Closes the snapshots of a workspace whose folder was removed. Nothing may use them. */
  forgetSnapshots(root: string): Promise<void>;
};

/**
 * Creates Klaus over the store of one machine.
 *
 * @throws KlausError `config` for a wrong setting, `store.corrupt`, `store.full`.
 */
export function createKlaus(options: KlausOptions = {}): Promise<Klaus> {
  return createKlausOver(options, openSqlite);
}

/**
 * Creates Klaus: the only place that connects the adapters to the core.
 *
 * @throws KlausError `config` for a wrong setting, `store.corrupt`, `store.full`.
 */
export async function createKlausOver<S extends SessionStore>(
  options: KlausOptions,
  openStore: (input: StoreInput) => S | Promise<S>,
  { wrapSnapshots, admit }: Extensions = {},
): Promise<KlausOver<S>> {
  const env = options.env ?? process.env;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = toHome(env, cwd, options.home);
  const given = { env, home, cwd, settings: options.settings };
  const ids = createSystemIds();
  const digest = (text: string): string => ids.digest(text);
  const settings = await openSettings(given, { digest, scripted: options.scripted });
  const { configurations, credentials, learn, redactor } = settings;
  const configuration = configurations.current;
  trustCertificates(configuration.values.network.caFile);
  const redact = (text: string): string => redactor.redact(text);
  const store = await openStore({ home, configuration, redact });
  const traced = await traceRuns(store, { configuration, env });
  const snapshots = createOpenSnapshots(home, { wrap: wrapSnapshots, configurations });
  const processes = createProcesses({ home });
  const listeners = new Set<(start: SandboxStart) => void>();
  const onStart = (start: SandboxStart): void => listeners.forEach((listener) => listener(start));
  const toEngine = createEngines({
    ...{ options, env, home, configurations, credentials, learn, store, traced, snapshots, processes, onStart },
    admit,
  });
  const engine = toEngine(configuration);
  const projects = createProjects({ configuration, engine }, { home, configurations, toEngine });
  const tools = [...new Set([...builtinTools.map(({ name }) => name), ...engine.tools.names])];
  const inForce = createPolicyEngines({ projects, store, home, tools, digest, redact });
  const onNotice = options.onNotice ?? (() => {});
  const parts = { engine, store, inForce, report: createLostAccessReport({ engine, env }) };
  const current = (): Configuration => configurations.current;
  const explaining = () => ({ engine, configuration: current(), cwd, inWorkspace: inForce.judging });
  const open = (id: string): Session => createSession(parts, id);
  const find = (idOrPrefix: string): Promise<string> => findKnownSession(store, idOrPrefix);
  const lock = (name: string) => lockFile(join(home, `${name}.lock`));
  const copies = createCopies({ home, lock });
  const workingCopies = createWorkingCopies({ engine, store, copies, projects });
  const opening = { engine, store, copies, inForce, cwd, env, onNotice };
  const close = () => closeAll({ engine, processes, snapshots, traced, store });
  return {
    home,
    get configuration() {
      return configurations.current;
    },
    ...settings.queries,
    store,
    openSnapshots: (root) => snapshots.open(root),
    checkSandbox: () => checkSandbox(current(), { home, env, onNotice }),
    forgetSnapshots: (root) => snapshots.forget(root),
    copies: workingCopies,
    open: (given = {}) => openPrepared({ ...opening, configuration: current(), given }, open),
    async fork(idOrPrefix, given) {
      const forked = await forkSession({ engine, store }, await find(idOrPrefix), given);
      return { ...forked, session: open(forked.session) };
    },
    ...createExports({ engine, store, inForce, find, home: toUserHome(env) }),
    session: async (idOrPrefix) => open(await find(idOrPrefix)),
    handle: open,
    ...createWorkspaceQueries({ engine, store, configuration: current, inForce, cwd }),
    sessions: (query = {}) => store.sessions(query),
    async usage({ session: given, by = given === undefined ? 'day' : 'model', since, workspaces } = {}) {
      const session = given === undefined ? undefined : await find(given);
      return readUsageReport(store, { by, session, since, workspaces }, (path) => findOriginal(home, path));
    },
    ...createApprovals(store, open),
    ...createProcessQueries({ engine, store, processes, copies: workingCopies }),
    async collectGarbage({ dryRun = true } = {}) {
      const shared = { store, dryRun, since: Date.now() - current().get('undo.keepDays') * DAY_MS };
      const freed = await collectProcesses({ ...shared, processes });
      return { ...(await collectGarbage({ ...shared, home })), processes: freed };
    },
    search: (text, { limit = 50 } = {}) => store.searchMessages({ words: toSearchWords(text), limit }),
    models: () => listKnownModels(current()),
    async latest(options = {}) {
      const id = await findLatestSession(options, { store, configuration: current(), cwd, state: home });
      return id === undefined ? undefined : open(id);
    },
    judge: (command, given = {}) => judgeCommandLine(command, { ...explaining(), ...given }),
    async explain(call, { session: given, ...options } = {}) {
      const session = given === undefined ? undefined : await find(given);
      return explain(call, { ...options, session }, explaining());
    },
    recordGuard: (body) => store.appendHost(body),
    effectsOf: (tool) => engine.tools.find(tool)?.effects,
    attach(added) {
      engine.tools.add(added);
      tools.push(...added.map(({ name }) => name));
    },
    redact,
    onSandboxStart(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    lock,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function closeAll(
  opened: Record<'snapshots' | 'traced' | 'store', { close(): void | Promise<void> }> & {
    engine: Parameters<typeof endProcesses>[0];
    processes: Parameters<typeof endProcesses>[1];
  },
): Promise<void> {
  const { engine, processes, snapshots, traced, store } = opened;
  try {
    await endProcesses(engine, processes);
    await closeIdleContainers();
    await snapshots.close();
    await traced.close();
  } finally {
    await store.close();
  }
}

/** Opens a session; the command that prepares its working copy runs before its first prompt. */
async function openPrepared(options: OpenInput, toSession: (id: string) => Session): Promise<Session> {
  const { cwd, configuration, inForce, given } = options;
  const workspace = resolve(cwd, given.workspace ?? configuration.get('workspace'));
  // The settings of that folder, which need not be those of this process.
  const input = { ...options, ...(await inForce.project(workspace)), given: { ...given, workspace } };
  const session = toSession(await openSession(input));
  const setup = setupOf(input.configuration, input.given);
  if (setup !== undefined) await session.send({ type: 'shell', command: setup, by: 'klaus' });
  return session;
}

/** Words of letters and digits alone, so that a query contains no operators. */
function toSearchWords(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 16);
}

/** A session for others, without what the policy of its workspace calls secret. */
function createExports({
  engine,
  store,
  inForce,
  find,
  home,
}: {
  engine: Engine;
  store: SessionStore;
  inForce: PolicyEngines;
  find: (idOrPrefix: string) => Promise<string>;
  home: string;
}): Pick<Klaus, 'exportTest' | 'shareHtml'> {
  const open = async (id: string): Promise<Engine> => {
    const root = (await store.session(id))?.workspace;
    return root ? inForce.judging(root) : engine;
  };
  return {
    async exportTest(idOrPrefix) {
      const id = await find(idOrPrefix);
      return exportTest({ engine: await open(id), store }, id);
    },
    async shareHtml(idOrPrefix, options) {
      const id = await find(idOrPrefix);
      return shareSession({ engine: await open(id), store, home }, id, options);
    },
  };
}
