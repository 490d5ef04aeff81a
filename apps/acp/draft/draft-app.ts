import {
  agent,
  RequestError,
  type AgentApp,
  type ClientCapabilities,
  type NewSessionRequest,
} from '@agentclientprotocol/sdk/experimental/v2';
import type { EditorSessions } from '../connection/editor-sessions.ts';
import { toAuthMethods, toAgentInfo } from '../connection/initialize-response.ts';
import { authenticate, logOut } from '../connection/keys.ts';
import {
  attach,
  createCoded,
  listSessions,
  openSession,
  setOption,
  type FolderRequest,
} from '../connection/session-requests.ts';
import { fromDraftContents, toDraftOptions } from './draft-content.ts';

/** The code of a request that was cancelled. */
const CANCELLED = -32_800;

/** The requests of the draft of version 2, which do the same as those of version 1. */
export function createDraftApp(of: () => EditorSessions): AgentApp {
  const coded = createCoded(of);
  const app = agent({ name: 'klaus' })
    .onRequest('initialize', ({ params: { capabilities = {} } }) => {
      // Every client of the draft knows notices, compactions and terminals of the agent.
      of().capabilities = {
        session: { notices: {}, compaction: {} },
        ...(capabilities.elicitation?.form ? { elicitation: { form: {} } } : {}),
        _meta: { terminal_output: true },
      };
      return toInitialized(capabilities, of().isRemote);
    })
    .onRequest('auth/login', ({ params }) => coded(() => authenticate(of(), params.methodId)))
    .onRequest('auth/logout', () => coded(() => logOut(of())))
    .onRequest('session/new', ({ params }) =>
      coded(async () => {
        const { sessionId, session } = await openSession(of(), toFolder(params));
        return { sessionId, configOptions: toDraftOptions(session.configOptions()) };
      }),
    )
    .onRequest('session/resume', ({ params: { replayFrom, ...params } }) =>
      coded(async () => {
        if (replayFrom && replayFrom.type !== 'start')
          throw RequestError.invalidParams({ replayFrom }, 'A replay can only begin at the start.');
        const session = await attach(
          of(),
          { ...toFolder(params), sessionId: params.sessionId },
          { isReplay: Boolean(replayFrom) },
        );
        session.report();
        return { configOptions: toDraftOptions(session.configOptions()) };
      }),
    )
    .onRequest('session/list', ({ params }) => coded(() => listSessions(of(), params)));
  return addSessionRequests(app, of);
}

function addSessionRequests(app: AgentApp, of: () => EditorSessions): AgentApp {
  const coded = createCoded(of);
  return app
    .onRequest('session/delete', ({ params }) =>
      coded(() =>
        of()
          .delete(params.sessionId)
          .then(() => ({})),
      ),
    )
    .onRequest('session/close', ({ params }) =>
      coded(() =>
        of()
          .detach(params.sessionId)
          .then(() => ({})),
      ),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      coded(async () => ({ configOptions: toDraftOptions(await setOption(of().get(params.sessionId), params)) })),
    )
    .onRequest('session/prompt', ({ params, signal }) =>
      coded(async () => {
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        // The end of the run is a state of the session. Only a prompt that became no message is an error.
        const request = { prompt: fromDraftContents(params.prompt), signal, onMessage: resolve };
        of()
          .prompt(params.sessionId, request)
          .then(
            () => reject(new RequestError(CANCELLED, 'The prompt was cancelled before the model got it.')),
            (error: unknown) => reject(error),
          );
        return { messageId: await promise };
      }),
    )
    .onNotification('session/cancel', ({ params }) => of().cancel(params.sessionId));
}

function toInitialized(capabilities: ClientCapabilities, isRemote: boolean) {
  const client = { auth: { terminal: Boolean(capabilities.auth?.terminal) } };
  // Methods to sign in need a way to sign out, which is on the machine of the server.
  const methods = isRemote ? [] : toAuthMethods(client, isRemote);
  return {
    protocolVersion: 2,
    info: toAgentInfo(),
    capabilities: { session: { prompt: { image: {}, embeddedContext: {} }, delete: {} } },
    authMethods: methods.map(({ id: methodId, name, description, ...method }) => ({
      methodId,
      name,
      ...(description ? { description } : {}),
      ...('type' in method ? { type: 'terminal' as const, args: method.args ?? [] } : { type: 'agent' as const }),
    })),
  };
}

function toFolder({ cwd, additionalDirectories = [], mcpServers = [] }: NewSessionRequest): FolderRequest {
  const named = mcpServers.flatMap(({ name }) => (typeof name === 'string' ? [{ name }] : []));
  return { cwd, additionalDirectories, mcpServers: named };
}
