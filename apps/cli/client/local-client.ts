import { realpathSync } from 'node:fs';
import type { Klaus, ProcessStatus, Session, SessionRow } from '@klaus/sdk';
import { optional } from '@klaus/sdk/optional';
import { readLastLines } from './last-lines.ts';
import { createLocalApprovals } from './local-approvals.ts';
import { createLocalAttention } from './local-attention.ts';
import { createLocalChat, findLatestChat } from './local-chat.ts';
import { createLocalInteractive } from './local-interactive.ts';
import { findOpenRun, followLocal } from './local-session.ts';
import { toFolder } from './open-klaus.ts';
import type { ClientSettings, ListedSession, PromptRequest, ResumeRequest, SessionClient } from '@klaus/sdk/client';
import { UsageError } from '../program/cli-error.ts';

/** A client of the engine in this process. It owns the engine. */
export function createLocalClient(klaus: Klaus, onNotice: (text: string) => void): SessionClient {
  const { store, configuration } = klaus;
  const toSummary = async ({ id }: Session) => {
    const row = await store.session(id);
    const isRunning = row?.status === 'running';
    const held = isRunning ? (await findProgress(klaus, id)) === 'running' : await store.isClaimed(id);
    return {
      id,
      title: row?.title ?? null,
      lastSeq: row?.lastSeq ?? 0,
      mode: row?.mode ?? null,
      model: row?.model ?? null,
      updatedAt: row?.updatedAt ?? '',
      held,
    };
  };
  return {
    server: undefined,
    at: '',
    warning: undefined,
    copies: klaus.copies,
    settings: async (workspace) =>
      toSettings(klaus, workspace === undefined ? configuration : await klaus.configurationOf(workspace)),
    session: async (id) => toSummary(await klaus.session(id)),
    latest: async (folders) => toSummary(await findLatest(klaus, folders)),
    async sessions({ search, limit, here, archived = false }) {
      const workspace = here ? realpathSync(configuration.get('workspace')) : undefined;
      const rows = await klaus.sessions({ limit, archived, search, workspace });
      // Read once: each session has a folder of its own.
      const processes = Map.groupBy(klaus.processes(), ({ session }) => session);
      const { openSessionStates } = await import('@klaus/sdk/session-states');
      using states = openSessionStates(klaus.home);
      const lastLines = readLastLines(rows, states);
      return await Promise.all(
        rows.map(async (row) => ({
          ...(await toListed(klaus, row, processes.get(row.id))),
          ...optional({ lastLine: lastLines.get(row.id) }),
        })),
      );
    },
    async *events(id) {
      yield* (await klaus.session(id)).events();
    },
    async callOutput(id, call) {
      const output = await (await klaus.session(id)).callOutput(call);
      if (output === undefined) throw new UsageError(`The call ${call} has no result.`);
      return output;
    },
    async search(id, words, options) {
      const session = await klaus.session(id);
      return { session: session.id, ...(await session.recall.search(words, options)) };
    },
    async export(id, format, { language } = {}) {
      const session = await klaus.session(id);
      await store.recordExport(session.id, { format, by: 'cli' });
      const { toDocument } = await import('./session-document.ts');
      return toDocument(klaus, session.id, { format, language });
    },
    async exportTest(id) {
      const exported = await klaus.exportTest(id);
      await store.recordExport((await klaus.session(id)).id, { format: 'test', by: 'cli' });
      return exported;
    },
    usage: async ({ session, by, since }) => klaus.usage({ session, by, since }),

    async open({ parts, onAsk, waitForModelMs, pin, untrusted, workspace, ...given }) {
      const session = await klaus.open({
        ...given,
        ...(workspace === undefined ? {} : { workspace: toFolder(workspace) }),
      });
      const interrupted = await findInterrupted(klaus, session.id);
      if (interrupted !== undefined) onNotice(interrupted);
      if (parts.length > 0) await session.prompt(parts, { onAsk, delivery: 'queue', waitForModelMs, pin, untrusted });
      return session.id;
    },
    async prompt(id, request) {
      await sendPrompt(await klaus.session(id), request);
      // Whether another process takes it is known when this one tries to.
      return { isHandedOver: false };
    },
    resume: async (id, request) => resume(klaus, await klaus.session(id), request),
    cancel: async (id, reason) => cancel(klaus, await klaus.session(id), reason),
    follow: (options) => followLocal(klaus, options),
    ...createLocalApprovals(klaus),
    ...createLocalAttention(klaus),
    ...createLocalChat(klaus),
    ...createLocalInteractive(klaus),
    async latestChat(query) {
      const id = await findLatestChat(klaus, query);
      return id === undefined ? undefined : toSummary(klaus.handle(id));
    },
    async leftovers(id) {
      const prompts = (await store.inbox(id)).filter(({ type }) => type === 'prompt').length;
      const messages = prompts === 0 || (await store.isClaimed(id)) ? 0 : prompts;
      const processes = klaus.processes(id).filter(({ state, survives }) => state === 'running' && survives);
      return { messages, processes };
    },
    [Symbol.asyncDispose]: () => klaus[Symbol.asyncDispose](),
  };
}

function toSettings(klaus: Klaus, configuration: Klaus['configuration']): ClientSettings {
  const { store } = klaus;
  return {
    model: configuration.get('model'),
    maxPromptChars: configuration.get('maxPromptChars'),
    onAsk: configuration.get('onAsk'),
    async lacksBudget(model = configuration.get('model')) {
      if (configuration.sources['limits.usd'].source !== 'default') return false;
      if ((await store.sessions({ limit: 1 })).length > 0) return false;
      return klaus.models().models.some(({ name, tier, prices }) => [name, tier].includes(model) && prices.length > 0);
    },
  };
}

async function toListed(klaus: Klaus, row: SessionRow, known: readonly ProcessStatus[] = []): Promise<ListedSession> {
  const processes = known.flatMap(({ id, state }) => (state === 'running' ? [id] : []));
  const idle = row.outcome ?? 'new';
  const status =
    row.status === 'idle' ? idle : row.status === 'running' ? await findProgress(klaus, row.id) : row.status;
  return { ...row, status, processes };
}

async function findLatest(klaus: Klaus, { cwd, root }: Parameters<SessionClient['latest']>[0]): Promise<Session> {
  const workspace = realpathSync(cwd === undefined ? klaus.configuration.get('workspace') : toFolder(cwd));
  const latest = await klaus.latest({ with: 'prompts', workspace, root });
  if (latest) return latest;
  const other = await klaus.store.latestSession(workspace);
  if (other === undefined) {
    throw new UsageError(
      `There is no session of ${workspace} yet.`,
      '`klaus sessions` lists the sessions of other folders; `klaus "prompt"` starts one.',
    );
  }
  throw new UsageError(
    `No session of ${workspace} reads the same folders around it as a new one would.`,
    `Pass its --root, or name the session: klaus --session ${other.id} "prompt"`,
  );
}

async function sendPrompt(session: Session, request: PromptRequest): Promise<void> {
  const { parts, onAsk, delivery, waitForModelMs, pin, untrusted, model, mode, limits } = request;
  // These can be refused, so they are sent before anything has changed.
  if (model !== undefined || mode !== undefined) await session.send({ type: 'change', model, mode });
  if (limits) await session.send({ type: 'limits', limits });
  await session.prompt(parts, { onAsk, delivery, waitForModelMs, pin, untrusted });
}

async function resume(klaus: Klaus, session: Session, request: ResumeRequest): Promise<void> {
  const { limits, onAsk, waitForModelMs, openRunOnAsk } = request;
  const last = await klaus.store.lastOf(session.id, ['run.started', 'run.finished']);
  const isDone = last === undefined || (last.type === 'run.finished' && last.outcome === 'done');
  if (limits) await session.send({ type: 'limits', limits });
  if (isDone && !(await session.isRunnable())) {
    throw new UsageError(
      `Nothing is left to do in session ${session.id}.`,
      `Send a new prompt: klaus --session ${session.id} "what next"`,
    );
  }
  if (openRunOnAsk !== undefined) await session.changeOnAsk(openRunOnAsk);
  // A run without an end continues by itself. One that ended early needs a request.
  if (!isDone && last.type === 'run.finished') await session.send({ type: 'resume', onAsk, waitForModelMs });
}

async function cancel(klaus: Klaus, session: Session, reason: string): ReturnType<SessionClient['cancel']> {
  const isWaiting = (await klaus.approvals()).some((question) => question.session === session.id);
  if (!(await session.isRunnable()) && !isWaiting) return { session: session.id, state: 'idle' };
  const run = await findOpenRun(klaus, session.id);
  await session.send({ type: 'cancel', by: 'cli', reason, run });
  // Without another process, this one ends the run, and does nothing else: prompts that wait in the inbox are for a
  // process that shows their run.
  const ended = new AbortController();
  const unsubscribe = session.subscribe((await klaus.store.session(session.id))?.lastSeq ?? 0, (event) => {
    if (event.type === 'run.finished') ended.abort();
  });
  const { state } = await session.advance({ signal: ended.signal });
  unsubscribe();
  return { session: session.id, state: state === 'busy' ? 'stopping' : 'cancelled' };
}

/** How many of the newest sessions are checked. */
const MAX_CHECKED = 200;

/**
 * What happens with a run that has not ended. The log records `running`; whether a process works on it, only the lock
 * shows. No process holds a session that waits for those below it.
 */
async function findProgress({ store }: Klaus, session: string): Promise<'running' | 'waiting' | 'interrupted'> {
  if (await store.isClaimed(session)) return 'running';
  const [, ...below] = await store.tree(session);
  if (below.length === 0) return 'interrupted';
  for (const id of below) if (await store.isClaimed(id)) return 'running';
  const asked = await store.approvals({ open: true });
  return asked.some((open) => below.includes(open.session)) ? 'waiting' : 'interrupted';
}

/**
 * A warning about an interrupted session in the folder of a new one. Changes of its last command to protected places
 * and to git are reverted when that session resumes, and not by another session.
 */
async function findInterrupted(klaus: Klaus, session: string): Promise<string | undefined> {
  const workspace = (await klaus.store.session(session))?.workspace;
  if (workspace === undefined) return undefined;
  for (const row of await klaus.sessions({ workspace, limit: MAX_CHECKED })) {
    if (row.status !== 'running' || (await findProgress(klaus, row.id)) !== 'interrupted') continue;
    return (
      `Session ${row.id} was interrupted in this folder. Changes of its last command to protected places and to git ` +
      `are not repaired yet. Resume it with \`klaus resume ${row.id}\`.`
    );
  }
  return undefined;
}
