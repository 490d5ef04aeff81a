import { KlausError, type EventOf } from '../../protocol/index.ts';
import type { Redactor } from '../../policy/index.ts';
import type { Engine } from '../loop/engine.ts';
import { UNLIMITED } from '../budget/result-limit.ts';
import type { Store } from '../ports/store.ts';
import { createRecordedModel, type ReplayedRequest } from './recorded-model.ts';
import { createRecordedTools } from './recorded-tools.ts';
import type { Recording } from './recording.ts';

export interface RecordedEngineOptions extends Pick<Engine, 'tools' | 'settings' | 'ids'> {
  /** Called for every request of the loop, in order. */
  onRequest?: (request: ReplayedRequest) => void;
}

/** An engine whose ports answer from a log. It reads no files, runs no commands and sends no requests. */
export function createRecordedEngine(recording: Recording, options: RecordedEngineOptions): Engine {
  const { tools, settings, ids, onRequest } = options;
  return {
    store: createRecordedStore(recording),
    models: {
      resolve: async (name) => createRecordedModel(recording, { name, onRequest }),
      async cheap(model) {
        const { next } = recording;
        const failed = /^The cheap model cannot be used: (.*)$/s.exec(next?.type === 'notice' ? next.text : '');
        if (failed) throw new KlausError('config', failed[1]!);
        const name = next?.type === 'model.attempted' ? next.model : model.name;
        return createRecordedModel(recording, { name, onRequest });
      },
    },
    tools,
    clock: {
      now: () => recording.next?.at ?? recording.events.at(-1)?.at ?? 0,
      async sleep() {
        // The only event that ends a wait between two attempts is a cancel.
        const { next } = recording;
        if (next?.type === 'model.attempted' && next.outcome === 'cancelled') recording.cancel();
      },
      every: () => () => {},
    },
    ids,
    // The log contains outputs as they were cut.
    settings: {
      ...settings,
      maxOutputTokens: Number.MAX_SAFE_INTEGER,
      maxToolOutputContext: UNLIMITED,
      // The log shows where states were stored for other machines.
      keepsStates: false,
    },
    home: '',
    openWorkspace: async (root) => ({
      root,
      mark: async () => '',
      ...refusing('resolve', 'locate', 'stat', 'read', 'hash', 'apply', 'changedSince', 'otherNames'),
    }),
    openKnowledge: () => ({ list: async () => [], ...refusing('get', 'set', 'count', 'search', 'remove') }),
    openAgents: (workspace) => ({
      workspace,
      ...{ grantOf: refuse, describe: refuse, isOfProject: refuse, untrusted: refuse, checkTrust: refuse },
      ...refusing('list', 'find', 'trust', 'save', 'edit', 'remove'),
    }),
    openSkills: () => ({ exist: () => false, folders: () => [], files: refuse, ...refusing('list', 'find') }),
    openRecall: () => refusing('search', 'read'),
    // Logs with background processes are not replayed.
    openProcesses: () => ({
      takeOver: async () => [],
      list: refuse,
      find: refuse,
      reserve: refuse,
      read: refuse,
      ...refusing('wait', 'send', 'stop'),
    }),
    listProcesses: refuse,
    openWeb: refuse,
    openProxy: refuse,
    userGit: { settings: refuse },
    registries: refuse,
    findSecret: refuse,
    createRedactor: () => NO_REDACTOR,
    openSnapshots: async () => ({
      snapshot: async () => nextSnapshot(recording)?.tree ?? '0'.repeat(64),
      snapshotGit: async () => nextSnapshot(recording)?.gitTree,
      uncovered: () => (nextSnapshot(recording)?.uncovered ?? []).map((path) => ({ path, why: '' })),
      has: () => false,
      git: () => [],
      hasGitObject: refuse,
      isStored: refuse,
      toolFolders: () => [],
      ...refusing('changes', 'entry', 'links', 'content', 'put', 'apply', 'applyGit', 'isSameIndex', 'gitlinks'),
      ...refusing('compareIndexes', 'repairIndex', 'edit', 'changeTimes'),
    }),
    openLayers: async () => ({
      open: async () => ({ kind: 'copy', folder: '', touched: unreachable, close: async () => {} }),
    }),
    // Decisions are those of the log.
    compareNames: () => 'folded',
    openSecrets: () => ({ values: async () => [], ...refusing('files', 'identify', 'otherNames') }),
    openSessionTools: () => createRecordedTools(recording),
    rules: [],
    ...refusing('readOwnInstructions', 'openRunner', 'openFolder', 'openSandbox', 'openChild'),
    ...refusing('remembered', 'editsSince', 'hasCopy', 'checkpoint', 'findCommitted', 'findIgnored'),
    ...refusing('judgeContents'),
    configuredPlaces: async () => [],
  };
}

/** For operations that a replay does not perform. */
async function unreachable(): Promise<never> {
  return refuse();
}

function refuse(): never {
  throw new Error('a replay has no effects');
}

/** The operations of a port that a replay does not perform. */
function refusing<Name extends string>(...names: Name[]): Record<Name, typeof unreachable> {
  return Object.fromEntries(names.map((name) => [name, unreachable])) as Record<Name, typeof unreachable>;
}

/** The next recorded snapshot. */
function nextSnapshot({ events, at }: Recording): EventOf<'workspace.snapshotted'> | undefined {
  return events.slice(at, at + 40).find((event) => event.type === 'workspace.snapshotted');
}

/** The log was redacted when it was written. */
const NO_REDACTOR: Redactor = {
  learn: () => {},
  redact: (text) => text,
  redactHead: refuse,
  holds: refuse,
  find: refuse,
  findValues: refuse,
  restore: refuse,
};

function createRecordedStore(recording: Recording): Store {
  return {
    append: async (_session, drafts, { consume = [] }) =>
      recording.accept(
        drafts.map(({ at: _at, ...body }) => body),
        consume,
      ),
    async *read(session, after = 0) {
      // The logs of other sessions are not recorded.
      if (session === recording.events[0]?.session) yield recording.events.slice(after, recording.at);
    },
    inbox: async () => recording.inbox(),
    claim: async (session) => ({ session, fence: 0, release: async () => {} }),
    subscribe: refuse,
    emitLive: () => {},
    onLive: refuse,
    isWatched: () => false,
    onSend: (_session, wake) => recording.onCancel(wake),
    writeBlob: refuse,
    // A child session reports its end to its parent, which is not replayed.
    send: async () => {},
    ...refusing('appendHost', 'readBlob'),
  };
}
