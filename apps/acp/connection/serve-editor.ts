import {
  agent,
  MessageTooLargeError,
  ndJsonStream,
  RequestError,
  type AgentApp,
  type AgentConnection,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type LoadSessionRequest,
  type NewSessionRequest,
  type SetSessionConfigOptionRequest,
} from '@agentclientprotocol/sdk/unstable';
import { isAbsolute } from 'node:path';
import type { AcpOptions } from './acp-options.ts';
import { toRealFolder } from '../session/editor-folder.ts';
import type { EditorSession } from '../session/editor-session.ts';
import { isEffort, isMode } from '../updates/config-options.ts';
import type { ByteStreams } from './early-initialize.ts';
import { EditorSessions, toUnsupported } from './editor-sessions.ts';
import { toInitializeResponse } from './initialize-response.ts';
import { authenticate, logOut, readStatus } from './keys.ts';
import { toRequestError } from './request-error.ts';

/** The code of an error that a key is missing or refused. */
const AUTH_REQUIRED = -32_000;
/** Sessions of a page of the list. */
const PAGE = 100;
/** How many of the newest sessions are listed. */
const MAX_LISTED = 2_000;

/** Serves one connection until it ends. */
export async function serveEditor({ input, output }: ByteStreams, options: AcpOptions): Promise<void> {
  let sessions!: EditorSessions;
  const app = createApp(() => sessions);
  app.onConnect(({ client: editor, signal }: AgentConnection) => {
    sessions = new EditorSessions(options, { editor, signal });
  });
  const connection = app.connect(ndJsonStream(output, input));
  const close = (): void => connection.close();
  options.signal.addEventListener('abort', close);
  if (options.signal.aborted) close();
  await connection.closed;
  const { reason } = connection.signal;
  if (reason instanceof MessageTooLargeError) options.log(`The connection ends: ${reason.message}.`);
  options.signal.removeEventListener('abort', close);
  await sessions.close();
}

function createApp(of: () => EditorSessions): AgentApp {
  const coded = createCoded(of);
  const app = agent({ name: 'klaus' })
    .onRequest('initialize', ({ params }) => {
      of().capabilities = params.clientCapabilities ?? {};
      return toInitializeResponse({ client: params.clientCapabilities, isRemote: of().isRemote });
    })
    .onRequest('authenticate', ({ params }) => coded(() => authenticate(of(), params.methodId)))
    .onRequest('auth/status', () => coded(() => readStatus(of())))
    .onRequest('logout', () => coded(() => logOut(of())))
    .onRequest('session/new', ({ params }) => coded(() => openSession(of(), params)))
    .onRequest('session/load', ({ params }) => coded(() => attach(of(), params, { isReplay: true })))
    .onRequest('session/resume', ({ params }) => coded(() => attach(of(), params, { isReplay: false })))
    .onRequest('session/list', ({ params }) => coded(() => listSessions(of(), params)))
    .onRequest('session/delete', ({ params }) =>
      coded(async () => {
        await of().delete(params.sessionId);
        return {};
      }),
    )
    .onRequest('session/close', ({ params }) => coded(() => of().detach(params.sessionId)));
  return addSessionRequests(app, of);
}

/** The requests that concern one session which the editor has opened. */
function addSessionRequests(app: AgentApp, of: () => EditorSessions): AgentApp {
  const coded = createCoded(of);
  return app
    .onRequest('session/fork', ({ params }) =>
      coded(async () => {
        const client = await of().check(params.sessionId, params.cwd);
        const sessionId = await client.fork(params.sessionId);
        const session = await of().attach(sessionId, {
          cwd: params.cwd,
          isReplay: false,
          notices: toUnsupported(params),
        });
        return { sessionId, ...toState(session) };
      }),
    )
    .onRequest('session/status', ({ params }) =>
      coded(async () => {
        if (of().has(params.sessionId)) return { status: 'open' };
        await of().check(params.sessionId);
        return { status: 'saved' };
      }),
    )
    .onRequest('session/set_title', ({ params }) =>
      coded(async () => {
        const title = params.title.trim();
        const client = await of().check(params.sessionId);
        if (title === '') throw RequestError.invalidParams({ title }, 'The title is empty.');
        await client.change(params.sessionId, { title });
        return { title };
      }),
    )
    .onRequest('session/set_mode', ({ params }) =>
      coded(async () => {
        const session = of().get(params.sessionId);
        if (!isMode(params.modeId))
          throw RequestError.invalidParams({ modeId: params.modeId }, 'There is no such mode.');
        await session.change({ mode: params.modeId });
        return {};
      }),
    )
    .onRequest('session/set_config_option', ({ params }) => coded(() => setOption(of().get(params.sessionId), params)))
    .onRequest('session/prompt', ({ params, signal }) =>
      coded(async () => (await of().ready(params.sessionId)).prompt(params, signal)),
    )
    .onNotification('session/cancel', async ({ params }) => {
      if (of().has(params.sessionId)) await of().get(params.sessionId).cancel();
    });
}

/** Runs a request. Errors with a code of Klaus become errors of the protocol. */
function createCoded(of: () => EditorSessions) {
  return async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      const shown = toRequestError(error);
      // The user may store a key before the next request.
      if (shown instanceof RequestError && shown.code === AUTH_REQUIRED) of().expire();
      throw shown;
    }
  };
}

async function openSession(sessions: EditorSessions, params: NewSessionRequest) {
  checkFolder(params.cwd);
  const client = await sessions.client(params.cwd);
  const sessionId = await client.open({ ...sessions.defaults, workspace: params.cwd, chat: true, parts: [] });
  const session = await sessions.attach(sessionId, {
    cwd: params.cwd,
    isReplay: false,
    notices: toUnsupported(params),
  });
  return { sessionId, ...toState(session) };
}

/** A loaded session keeps its own workspace. */
async function attach(
  sessions: EditorSessions,
  params: Pick<LoadSessionRequest, 'sessionId' | 'cwd' | 'additionalDirectories'> & Partial<LoadSessionRequest>,
  { isReplay }: { isReplay: boolean },
) {
  checkFolder(params.cwd);
  await sessions.check(params.sessionId, params.cwd);
  return toState(
    await sessions.attach(params.sessionId, { cwd: params.cwd, isReplay, notices: toUnsupported(params) }),
  );
}

function toState(session: EditorSession) {
  return { modes: session.modes, configOptions: session.configOptions() };
}

function checkFolder(cwd: string): void {
  if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, '`cwd` must be an absolute path.');
}

async function setOption(session: EditorSession, { configId, value }: SetSessionConfigOptionRequest) {
  const options = session.configOptions();
  if (options.some(({ id, currentValue }) => id === configId && currentValue === value))
    return { configOptions: options };
  const change = toChange(configId, value);
  if (!change) throw RequestError.invalidParams({ configId, value }, 'There is no such option or value.');
  await session.change(change);
  return { configOptions: session.configOptions(change) };
}

function toChange(configId: string, value: string | boolean) {
  if (typeof value !== 'string') return undefined;
  if (configId === 'mode' && isMode(value)) return { mode: value };
  if (configId === 'effort' && isEffort(value)) return { effort: value };
  // The engine knows models and refuses others.
  return configId === 'model' ? { model: value } : undefined;
}

async function listSessions(sessions: EditorSessions, params: ListSessionsRequest): Promise<ListSessionsResponse> {
  const { cwd, cursor } = params;
  const from = cursor === undefined || cursor === null ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0) throw RequestError.invalidParams({ cursor }, 'The cursor is invalid.');
  if (cwd) checkFolder(cwd);
  const client = await sessions.client(cwd ?? undefined);
  const real = cwd ? toRealFolder(cwd) : undefined;
  const rows = (await client.sessions({ limit: MAX_LISTED })).filter(
    ({ parent, workspace }) => parent === null && (!cwd || workspace === cwd || workspace === real),
  );
  const page = rows.slice(from, from + PAGE);
  return {
    sessions: page.map(({ id, workspace, title, firstPrompt, updatedAt }) => ({
      sessionId: id,
      cwd: cwd ?? workspace,
      title: title ?? firstPrompt ?? null,
      updatedAt,
    })),
    ...(from + PAGE < rows.length ? { nextCursor: String(from + PAGE) } : {}),
  };
}
