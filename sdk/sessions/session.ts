import {
  advance,
  attend,
  changesOfTurn,
  restore,
  applyQueuedCommands,
  toPinText,
  verifyEvidence,
  type Engine,
  type SessionStore,
} from '@klaus/core/agent';
import { KlausError, isRunnerModel, type Command, type Part } from '@klaus/core/protocol';
import { readCallOutput } from './call-output.ts';
import { readChangedFile } from './changed-file.ts';
import { replaySession } from './replay-session.ts';
import { grantHistory, reachesHost, revokeGrant } from '../grants/session-grants.ts';
import { toShownDiff } from './shown-diff.ts';
import { advanceTree } from './advance-tree.ts';
import type { Session } from './session-handle.ts';
import { createCommandSender } from './send-command.ts';
import { changeOnAsk, isTreeRunnable } from './session-tree.ts';
import { approvalsOf, changeApproval } from './session-approvals.ts';
import { checkPin, pin, pinsOf, unpin } from './session-pins.ts';
import { withoutStateLinks } from '../engine/state-links.ts';
import type { PolicyEngines } from '../policy/policy-engines.ts';

export interface SessionParts {
  engine: Engine;
  store: SessionStore;
  inForce: PolicyEngines;
  /** Reports what commands of a session cannot see any more, once for each session. */
  report?: (session: string) => Promise<void>;
}

/** Commands after which a run continues, or starts. */
const POLICED: ReadonlySet<Command['type']> = new Set(['resume', 'approve', 'shell', 'call']);

export function createSession({ engine, store, inForce, report }: SessionParts, id: string): Session {
  const workspace = async (): Promise<string | undefined> => (await store.session(id))?.workspace || undefined;
  const { send, checkPolicy, checkReady } = createCommandSender({ engine, store, inForce }, id);
  return {
    id,
    async prompt(content, options = {}) {
      await checkReady();
      const { id: command = engine.ids.ulid(), onAsk = 'deny', delivery = 'steer', pin: pinned = false } = options;
      const { waitForModelMs, untrusted } = options;
      const parts: Part[] = typeof content === 'string' ? [{ type: 'text', text: content }] : [...content];
      if (pinned) await checkPin(engine, id, toPinText(parts));
      const more = { waitForModelMs, untrusted, ...(pinned ? { pin: true } : {}) };
      return send({ type: 'prompt', id: command, parts, onAsk, delivery, ...more });
    },
    async send(command) {
      const given = { ...command, id: engine.ids.ulid() } as Command;
      if (POLICED.has(given.type)) await checkPolicy();
      await checkDriven(store, id, given);
      if (given.type === 'compact') await checkReady();
      if (given.type !== 'change' || given.model === undefined) return send(given);
      // An unknown name would prevent all later runs of the session.
      const root = await workspace();
      const { models } = root === undefined ? engine : (await inForce.project(root)).engine;
      const { name } = await models.resolve(given.model);
      return send({ ...given, model: name });
    },
    changeOnAsk: (onAsk) => changeOnAsk({ engine, store }, id, onAsk),
    async advance(options = {}) {
      const root = await workspace();
      await report?.(id);
      const inUse = root === undefined ? engine : await inForce.engine(root);
      const { signal, pause, attempt } = options;
      return advanceTree({
        ...{ session: id, engine: inUse, store },
        advance: (onChild) => advance(inUse, id, { ...options, onChild }),
        advanceChild: (child, ending) => {
          const stops = pause ? AbortSignal.any([pause, ending]) : ending;
          return createSession({ engine, store, inForce }, child).advance({
            signal,
            pause: stops,
            attempt,
          });
        },
        isEnding: () => (signal?.aborted ?? false) || (pause?.aborted ?? false),
        isAttempt: attempt !== undefined,
      });
    },
    async attend(options) {
      const root = await workspace();
      await report?.(id);
      const ended = await attend(root === undefined ? engine : await inForce.engine(root), id, options);
      if (ended) return ended;
      throw new KlausError('store.busy', `Another process works on session ${id}.`, {
        hint: `Wait for its end with \`klaus wait ${id}\`, or stop it with \`klaus interrupt ${id}\`.`,
      });
    },
    applyQueuedCommands: () => applyQueuedCommands(engine, id, ['change', 'limits']),
    isRunnable: () => isTreeRunnable(store, engine, id),
    restore: (request, options) => restore(withoutStateLinks(engine), id, { request, ...options }),
    ...createReaders({ engine, inForce, workspace }, id),
    callOutput: (call) => readCallOutput(store, id, call),
    replay: (options) => replaySession({ engine, store, session: id }, options),
    async verify({ by = 'sdk', ...rest } = {}) {
      // Its commands run again: those of an altered log are not the ones that ran.
      const { sessions } = await store.audit({ session: id });
      const damage = sessions.find(({ report }) => !report.intact)?.report;
      if (damage)
        throw new KlausError('store.corrupt', `The log of session ${id} was altered, so its checks are not run.`, {
          hint: 'Run `klaus audit verify` to see where.',
        });
      const root = await workspace();
      return verifyEvidence(root === undefined ? engine : await inForce.engine(root), id, { by, ...rest });
    },
    async *events(after = 0) {
      for await (const events of store.read(id, after)) yield* events;
    },
    pin: (given, options) => pin({ engine, store, session: id }, given, options),
    unpin: (given, options) => unpin({ engine, store, session: id }, given, options),
    pins: () => pinsOf({ engine, session: id }),
    recall: store.recall(id),
    grants: () => grantHistory(store, id),
    reaches: (host) => reachesHost(engine, id, host),
    revoke: (parts = [], options = {}) => revokeGrant(engine, id, { parts, ...options }),
    approvals: () => approvalsOf({ engine, store, session: id }),
    changeApproval: (approval, scope, options = {}) =>
      changeApproval({ engine, store, session: id }, { approval, scope, ...options }),
    subscribe: (after, listener) => store.subscribe(id, after, listener),
    onLive: (listener) =>
      store.onLive((live) => {
        if (live.session === id) listener(live);
      }),
  };
}

/** @throws KlausError `usage` for what the agent of another program does by itself. */
async function checkDriven(store: SessionStore, id: string, command: Command): Promise<void> {
  const isModel = command.type === 'change' && command.model !== undefined;
  if (command.type !== 'compact' && !isModel) return;
  if (!isRunnerModel((await store.session(id))?.model ?? '')) return;
  const what = isModel ? 'chooses its model' : 'manages its context';
  throw new KlausError('usage', `The agent of this session ${what} itself.`, {
    hint: isModel ? 'Configure the model in the program of the agent.' : 'Open a new session if it is too long.',
  });
}

/** The content that a session changed. What is secret depends on the policy; without a workspace, on the settings alone. */
function createReaders(
  {
    engine,
    inForce,
    workspace,
  }: Pick<SessionParts, 'engine' | 'inForce'> & { workspace: () => Promise<string | undefined> },
  id: string,
): Pick<Session, 'turnChanges' | 'changedFile'> {
  const open = async () => {
    const root = await workspace();
    return { engine: root === undefined ? engine : await inForce.judging(root), root: root ?? '/nonexistent' };
  };
  return {
    async turnChanges(given) {
      const { turn, ...found } = await changesOfTurn(engine, id, given);
      return { turn, changes: found.changes, others: found.others, diff: await toShownDiff(await open(), found) };
    },
    changedFile: async (options) => readChangedFile(await open(), id, options),
  };
}
