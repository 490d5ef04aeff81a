import type { EventBody } from '../../protocol/index.ts';
import { createAuthorityReader } from '../children/authority.ts';
import { openWorkspaceOf } from '../folders/open-folders.ts';
import { openSecretsOf } from '../folders/open-secrets.ts';
import { findProtectedHookFiles } from '../hooks/hook-files.ts';
import { createRequestHasher } from '../model/request-hash.ts';
import { createLeaveOut } from '../refusals/leave-out.ts';
import type { Model } from '../ports/model.ts';
import type { SecretSource } from '../ports/secrets.ts';
import type { Folder } from '../ports/workspace.ts';
import { redactBody } from '../redaction/redact-body.ts';
import { LIVE_ACTIVITIES } from './live-activities.ts';
import { LogOrder } from './log-order.ts';
import { openedOf } from '../state/state.ts';
import type { Work } from './work.ts';
import { limitSandbox } from './limit-sandbox.ts';

export interface WorkOptions extends Pick<Work, 'engine' | 'session' | 'lease' | 'state'> {
  /** Default: the live ones. */
  activities?: Work['activities'];
  /** Default: never aborted. */
  stop?: AbortSignal;
  /** Default: nothing happens. */
  wakeChild?: Work['wakeChild'];
  /** Default: always false. */
  isLeaving?: () => boolean;
  /** True: commands get a new home folder instead of the session's. Default false. */
  hasNewHome?: boolean;
}

export function createWork(options: WorkOptions): Work {
  const { engine, session, lease, state, activities = LIVE_ACTIVITIES } = options;
  const redactor = engine.createRedactor(state.session?.forked?.root ?? session);
  const folders = new Map<string, Folder>();
  const order = new LogOrder(state);
  let secrets: SecretSource | undefined;
  let model: { name: string; model: Promise<Model> } | undefined;
  let warming: Promise<unknown> | undefined;
  const work: Work = {
    engine,
    activities,
    session,
    lease,
    state,
    authority: createAuthorityReader(engine, state),
    redactor,
    hashRequest: createRequestHasher(engine.ids),
    leaveOut: createLeaveOut(),
    originals: new Map(),
    seenFolders: new Set(
      [...state.messages, ...state.held].flatMap(({ id }) =>
        id.startsWith('context:') ? [id.slice('context:'.length)] : [],
      ),
    ),
    prestart: { commands: 0 },
    scanned: {},
    servers: {},
    agent: {},
    mcp: {},
    stop: options.stop ?? new AbortController().signal,
    isLeaving: options.isLeaving ?? (() => false),
    async append(bodies: readonly EventBody[], consume = []) {
      const at = engine.clock.now();
      const drafts = bodies.map((body) => ({ ...redactBody(body, redactor), at }));
      await order.run(() => engine.store.append(session, drafts, { lease, consume }));
    },
    wakeChild: options.wakeChild ?? (() => {}),
    choice: { isFirst: false },
    model() {
      const name = work.choice.isFirst ? state.model : (state.substitute?.model ?? state.model);
      if (model?.name !== name) model = { name, model: engine.models.resolve(name) };
      return model.model;
    },
    workspace: once(() => openWorkspaceOf(engine, openedOf(state))),
    async folder(path) {
      const folder = folders.get(path) ?? (await engine.openFolder(path));
      folders.set(path, folder);
      return folder;
    },
    sandbox: once(async () => {
      const opened = openedOf(state);
      const { sandbox: name, workspace } = opened;
      const own = options.hasNewHome ? {} : { session };
      const protect = (): Promise<readonly string[]> => findProtectedHookFiles(work);
      const masks = () => work.secrets().files();
      return limitSandbox(
        await engine.openSandbox({ name, workspace, beside: opened.readable, ...own, masks, protect }),
        opened,
      );
    }),
    snapshots: once(() => activities.openSnapshots(engine, openedOf(state))),
    layers: once(() => activities.openLayers(engine, openedOf(state))),
    async learnSecrets(options) {
      redactor.learn(await work.secrets().values(options));
    },
    secrets: () => (secrets ??= openSecretsOf(engine, openedOf(state))),
    warmUp() {
      warming ??= Promise.allSettled([
        work.learnSecrets(),
        work.sandbox().then((opened) => opened.warmUp?.()),
        work.workspace(),
        ...(openedOf(state).snapshots === false ? [] : [work.snapshots()]),
      ]);
    },
    async idle() {
      await warming;
    },
  };
  return work;
}

/** A function that opens something at its first call. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => (opened ??= open());
}
