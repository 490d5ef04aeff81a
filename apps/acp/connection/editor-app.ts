import { agent, RequestError, type AgentApp } from '@agentclientprotocol/sdk/unstable';
import type { EditorSession } from '../session/editor-session.ts';
import { isMode } from '../updates/config-options.ts';
import { toUnsupported, type EditorSessions } from './editor-sessions.ts';
import { toInitializeResponse } from './initialize-response.ts';
import { authenticate, logOut, readStatus } from './keys.ts';
import { attach, createCoded, listSessions, openSession, setOption } from './session-requests.ts';

/** The requests of version 1. */
export function createApp(of: () => EditorSessions): AgentApp {
  const coded = createCoded(of);
  const app = agent({ name: 'klaus' })
    .onRequest('initialize', ({ params }) => {
      of().capabilities = params.clientCapabilities ?? {};
      return toInitializeResponse({ client: params.clientCapabilities, isRemote: of().isRemote });
    })
    .onRequest('authenticate', ({ params }) => coded(() => authenticate(of(), params.methodId)))
    .onRequest('auth/status', () => coded(() => readStatus(of())))
    .onRequest('logout', () => coded(() => logOut(of())))
    .onRequest('session/new', ({ params }) =>
      coded(async () => {
        const { sessionId, session } = await openSession(of(), params);
        return { sessionId, ...toState(session) };
      }),
    )
    .onRequest('session/load', ({ params }) =>
      coded(async () => toState(await attach(of(), params, { isReplay: true }))),
    )
    .onRequest('session/resume', ({ params }) =>
      coded(async () => toState(await attach(of(), params, { isReplay: false }))),
    )
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
    .onRequest('session/set_config_option', ({ params }) =>
      coded(async () => ({ configOptions: await setOption(of().get(params.sessionId), params) })),
    )
    .onRequest('session/prompt', ({ params, signal }) =>
      coded(() => of().prompt(params.sessionId, { prompt: params.prompt, signal })),
    )
    .onNotification('session/cancel', ({ params }) => of().cancel(params.sessionId));
}

function toState(session: EditorSession) {
  return { modes: session.modes, configOptions: session.configOptions() };
}
