import type { EventOf } from '../../protocol/index.ts';
import { KlausError, TOOL_SEARCH } from '../../protocol/index.ts';
import type { Redactor } from '../../policy/index.ts';
import type { Engine } from '../loop/engine.ts';
import type { Ids } from '../ports/ids.ts';
import type { Store } from '../ports/store.ts';
import type { Tool } from '../ports/tool.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { EngineSettings } from '../loop/settings.ts';
import { createToolRegistry, type ToolRegistry } from '../calls/tool-registry.ts';
import { createRecordedModel, type ReplayedRequest } from './recorded-model.ts';
import { toRecordedTool, type RunningCalls } from './recorded-tools.ts';
import type { Recording } from './recording.ts';

export interface RecordedEngineOptions {
  tools: readonly Tool[];
  settings: EngineSettings;
  ids: Ids;
  onRequest: (request: ReplayedRequest) => void;
  running: RunningCalls;
}

/** An engine whose every port answers from a log. It reads no file, runs nothing and sends nothing. */
export function createRecordedEngine(recording: Recording, options: RecordedEngineOptions): Engine {
  const { settings, ids, onRequest, running } = options;
  return {
    store: createRecordedStore(recording),
    models: {
      resolve: async (name) => createRecordedModel(recording, { name, onRequest }),
      async cheap(model) {
        const { next } = recording;
        const failed = /^The cheap model cannot be asked: (.*)$/s.exec(next?.type === 'notice' ? next.text : '');
        if (failed) throw new KlausError('config', failed[1]!);
        const name = next?.type === 'model.attempted' ? next.model : model.name;
        return createRecordedModel(recording, { name, onRequest });
      },
    },
    tools: createRecordedTools(options.tools, (tool) => toRecordedTool(tool, recording, running)),
    clock: {
      now: () => recording.next?.at ?? recording.events.at(-1)?.at ?? 0,
      async sleep() {
        // Between two attempts only a cancel is waited for.
        const { next } = recording;
        if (next?.type === 'model.attempted' && next.outcome === 'cancelled') recording.cancel();
      },
      every: () => () => {},
    },
    ids,
    // What was cut is recorded as it was cut.
    settings: {
      ...settings,
      maxOutputTokens: Number.MAX_SAFE_INTEGER,
      maxToolOutputContext: Number.MAX_SAFE_INTEGER,
    },
    home: '',
    readOwnInstructions: unreachable,
    openFolder: unreachable,
    openWorkspace: async (root) => createRecordedWorkspace(root),
    openSandbox: async ({ name }) => ({ name, exec: unreachable }),
    openKnowledge: () => ({
      get: async () => undefined,
      set: unreachable,
      list: async () => [],
      count: async () => 0,
      search: async () => [],
      remove: unreachable,
    }),
    openRecall: () => ({ search: unreachable, read: async () => undefined }),
    // A log with a background process is not replayed.
    openProcesses: () => ({
      list: () => [],
      find: () => undefined,
      takeOver: async () => [],
      reserve: refuse,
      read: refuse,
      wait: unreachable,
      send: unreachable,
      stop: unreachable,
    }),
    listProcesses: () => [],
    createRedactor: () => NO_REDACTOR,
    openSnapshots: async () => ({
      snapshot: async () => nextKept(recording)?.tree ?? '0'.repeat(64),
      snapshotGit: async () => nextKept(recording)?.gitTree,
      hasGitObject: () => true,
      isSameIndex: unreachable,
      gitlinks: unreachable,
      links: unreachable,
      applyGit: unreachable,
      has: () => false,
      uncovered: () => {
        return (nextKept(recording)?.uncovered ?? []).map((path) => ({ path, why: '' }));
      },
      git: () => [],
      changes: unreachable,
      entry: unreachable,
      content: unreachable,
      put: unreachable,
      apply: unreachable,
    }),
    openLayers: async () => ({
      open: async () => ({
        kind: 'copy',
        folder: '',
        touched: async () => ({ paths: [], git: false }),
        close: async () => {},
      }),
    }),
    openSecrets: () => ({
      files: async () => [],
      values: async () => [],
      identify: async () => ({ isSecret: false, names: [], isShared: false }),
      otherNames: async () => [],
    }),
    remembered: async () => [],
    rules: [],
    checkpoint: unreachable,
    findCommitted: unreachable,
    findIgnored: unreachable,
  };
}

/** The search for tools answers from the record too. */
function createRecordedTools(tools: readonly Tool[], record: (tool: Tool) => Tool): ToolRegistry {
  const registry = createToolRegistry(tools.filter(({ name }) => name !== TOOL_SEARCH).map(record));
  const search = record(registry.get(TOOL_SEARCH));
  return {
    ...registry,
    find: (name) => (name === TOOL_SEARCH ? search : registry.find(name)),
    get: (name) => (name === TOOL_SEARCH ? search : registry.get(name)),
  };
}

/** What a replay has no answer for must not be asked. */
async function unreachable(): Promise<never> {
  return refuse();
}

function refuse(): never {
  throw new Error('a replay touches nothing');
}

/** The state of the workspace that is recorded next. */
function nextKept({ events, at }: Recording): EventOf<'workspace.snapshotted'> | undefined {
  return events.slice(at, at + 40).find((event) => event.type === 'workspace.snapshotted');
}

function createRecordedWorkspace(root: string): Workspace {
  return {
    root,
    resolve: unreachable,
    locate: unreachable,
    stat: async () => undefined,
    read: unreachable,
    hash: unreachable,
    apply: unreachable,
    mark: async () => '',
    changedSince: unreachable,
  };
}

/** The log went through the redactor when it was made. */
const NO_REDACTOR: Redactor = {
  learn: () => {},
  redact: (text) => text,
  redactHead: (text) => ({ text, length: text.length }),
  holds: () => false,
  find: () => [],
  findValues: () => [],
  restore: (text) => text,
};

function createRecordedStore(recording: Recording): Store {
  return {
    append: async (_session, drafts, { consume = [] }) =>
      recording.accept(
        drafts.map(({ at: _at, ...body }) => body),
        consume,
      ),
    appendHost: unreachable,
    async *read(_session, after = 0) {
      yield recording.events.slice(after, recording.at);
    },
    send: unreachable,
    inbox: async () => recording.inbox(),
    claim: async (session) => ({ session, fence: 0, release: async () => {} }),
    subscribe: () => () => {},
    emitLive: () => {},
    onLive: () => () => {},
    isWatched: () => false,
    onSend: (_session, wake) => recording.onCancel(wake),
    writeBlob: () => {
      throw new Error('a replay touches nothing');
    },
    readBlob: async () => undefined,
  };
}
