import type { Redactor } from '../../policy/index.ts';
import { KlausError, type EventBody } from '../../protocol/index.ts';
import type { CommandAhead } from '../calls/command-ahead.ts';
import type { Engine } from './engine.ts';
import { fold } from './fold.ts';
import { joinLayers } from '../folders/join-layers.ts';
import { joinSnapshots } from '../folders/join-snapshots.ts';
import { joinWorkspaces } from '../folders/join-workspaces.ts';
import type { Layers } from '../ports/layer.ts';
import type { Model } from '../ports/model.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { FileIdentity, SecretSource } from '../ports/secrets.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { Lease } from '../ports/store.ts';
import type { Folder, Workspace } from '../ports/workspace.ts';
import { redactBody } from '../redaction/redact-body.ts';
import { createRequestHasher, type RequestHasher } from '../model/request-hash.ts';
import { openedOf, type State } from './state.ts';

/** The secrets of everything that a session's commands can read. */
export function openSecretsOf(
  engine: Pick<Engine, 'settings' | 'openSecrets'>,
  { workspace, readable = [] }: { workspace: string; readable?: readonly string[] | undefined },
): SecretSource {
  const { secretPatterns: patterns, hiddenPatterns: hidden } = engine.settings;
  return engine.openSecrets(workspace, { patterns, hidden, ...(readable.length > 0 ? { readable } : {}) });
}

type Opened = ReturnType<typeof openedOf>;

/** The states of the workspace of a session, and of the folders beside it that it may change. */
export async function openSnapshotsOf(
  engine: Pick<Engine, 'openFolder' | 'openSnapshots' | 'recorded'>,
  { workspace, writable = [] }: Pick<Opened, 'workspace' | 'writable'>,
): Promise<Snapshots> {
  const own = await engine.openSnapshots(workspace);
  // What is recorded names the states of all.
  if (engine.recorded) return own;
  const others = writable.map(async (root) => {
    await engine.openFolder(root);
    return { root, snapshots: await engine.openSnapshots(root) };
  });
  return joinSnapshots(own, await Promise.all(others));
}

async function openLayersOf(
  engine: Pick<Engine, 'openFolder' | 'openLayers' | 'recorded'>,
  { workspace, writable = [] }: Pick<Opened, 'workspace' | 'writable'>,
): Promise<Layers> {
  const own = await engine.openLayers(workspace);
  if (engine.recorded) return own;
  const others = writable.map(async (root) => {
    await engine.openFolder(root);
    return { root, layers: await engine.openLayers(root) };
  });
  return joinLayers(own, await Promise.all(others));
}

async function openWorkspaces(
  engine: Pick<Engine, 'openWorkspace'>,
  { workspace, writable = [] }: Pick<Opened, 'workspace' | 'writable'>,
): Promise<Workspace> {
  const open = async (root: string): Promise<Workspace> => {
    const opened = await engine.openWorkspace(root);
    if (opened.root === root) return opened;
    throw new KlausError('workspace.missing', `The folder ${root} was replaced by a symbolic link.`);
  };
  return joinWorkspaces(await engine.openWorkspace(workspace), await Promise.all(writable.map(open)));
}

/** One claimed session being worked on: its state, and the only way to change it. */
export interface Work {
  readonly engine: Engine;
  readonly session: string;
  readonly lease: Lease;
  readonly state: State;
  readonly redactor: Redactor;
  readonly hasher: RequestHasher;
  /** Inputs of calls as the model sent them, where redaction changed the logged ones. Gone after a crash. */
  readonly originals: Map<string, unknown>;
  /** Folders whose AGENTS.md or CLAUDE.md was looked for. */
  readonly seenFolders: Set<string>;
  readonly ahead: CommandAhead;
  /** Aborts what is being performed: a cancel arrived, or the caller wants to leave. */
  readonly stop: AbortSignal;
  /** True when the caller wants to leave without a word; the log stays as after a crash. */
  isLeaving(): boolean;
  /** Redacts, appends, folds. Consumes the commands in the same transaction. */
  append(bodies: readonly EventBody[], consume?: readonly string[]): Promise<void>;
  model(): Promise<Model>;
  workspace(): Promise<Workspace>;
  /** A folder beside the workspace, opened once. See `Engine.openFolder`. */
  folder(path: string): Promise<Folder>;
  sandbox(): Promise<Sandbox>;
  snapshots(): Promise<Snapshots>;
  layers(): Promise<Layers>;
  /**
   * Takes what the workspace's secret files hold now into the redactor.
   *
   * @param options.history False: without their earlier versions, which take a while. Default true.
   */
  learnSecrets(options?: { history?: boolean }): Promise<void>;
  /** What a file is beside the path by which it was found. @param path Absolute, every symlink resolved. */
  identify(path: string): Promise<FileIdentity>;
  /** Other names, absolute, of a file that is secret or hidden by one of them. @param path As for `identify`. */
  otherNames(path: string): Promise<string[]>;
  /**
   * Begins what the first tool call will need, while the model is still answering. What fails here is left to fail
   * again where it is needed. Does nothing a second time.
   */
  warmUp(): void;
  /** Resolves when nothing that `warmUp` began is under way. */
  settled(): Promise<void>;
}

export interface WorkOptions {
  engine: Engine;
  session: string;
  lease: Lease;
  state: State;
  stop: AbortSignal;
  isLeaving: () => boolean;
  /** Commands get a new home folder, not that of the session. Default false. */
  hasNewHome?: boolean;
}

export function createWork(options: WorkOptions): Work {
  const { engine, session, lease, state } = options;
  const redactor = engine.createRedactor(state.session?.forked?.root ?? session);
  let workspace: Promise<Workspace> | undefined;
  const folders = new Map<string, Folder>();
  let sandbox: Promise<Sandbox> | undefined;
  let snapshots: Promise<Snapshots> | undefined;
  let layers: Promise<Layers> | undefined;
  let secrets: SecretSource | undefined;
  const toSecrets = (): SecretSource => (secrets ??= openSecretsOf(engine, openedOf(state)));
  let model: { name: string; model: Promise<Model> } | undefined;
  let warming: Promise<unknown> | undefined;
  const work: Work = {
    engine,
    session,
    lease,
    state,
    redactor,
    hasher: createRequestHasher(engine.ids),
    originals: new Map(),
    seenFolders: new Set(
      [...state.messages, ...state.held].flatMap(({ id }) =>
        id.startsWith('context:') ? [id.slice('context:'.length)] : [],
      ),
    ),
    ahead: { commands: 0 },
    stop: options.stop,
    isLeaving: options.isLeaving,
    async append(bodies, consume = []) {
      const at = engine.clock.now();
      const drafts = bodies.map((body) => ({ ...redactBody(body, redactor), at }));
      for (const event of await engine.store.append(session, drafts, { lease, consume })) fold(state, event);
    },
    model() {
      if (model?.name !== state.model) model = { name: state.model, model: engine.models.resolve(state.model) };
      return model.model;
    },
    workspace: () => (workspace ??= openWorkspaces(engine, openedOf(state))),
    async folder(path) {
      const folder = folders.get(path) ?? (await engine.openFolder(path));
      folders.set(path, folder);
      return folder;
    },
    sandbox() {
      const opened = openedOf(state);
      const masks = () => toSecrets().files();
      const own = options.hasNewHome ? {} : { session };
      return (sandbox ??= engine.openSandbox({ name: opened.sandbox, workspace: opened.workspace, ...own, masks }));
    },
    snapshots: () => (snapshots ??= openSnapshotsOf(engine, openedOf(state))),
    layers: () => (layers ??= openLayersOf(engine, openedOf(state))),
    async learnSecrets(options) {
      redactor.learn(await toSecrets().values(options));
    },
    identify: (path) => toSecrets().identify(path),
    otherNames: (path) => toSecrets().otherNames(path),
    warmUp() {
      warming ??= Promise.allSettled([
        work.learnSecrets(),
        work.sandbox().then((opened) => opened.warmUp?.()),
        work.workspace(),
        ...(openedOf(state).snapshots === false ? [] : [work.snapshots()]),
      ]);
    },
    async settled() {
      await warming;
    },
  };
  return work;
}

/** The run that events of this moment belong to: the one under way, or the last. */
export function runIdOf(work: Work): string {
  return work.state.run?.id ?? work.state.lastRun?.run ?? '';
}
