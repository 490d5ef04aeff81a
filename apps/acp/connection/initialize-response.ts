import type { AuthMethod, ClientCapabilities, InitializeResponse } from '@agentclientprotocol/sdk/unstable';
import { VERSION } from '@klaus/sdk/version';

/** The version of the protocol that this agent speaks. */
const PROTOCOL_VERSION = 1;

/** Id of the way to sign in that needs nothing of the client. */
export const KEY_METHOD = 'api-key';
/** Id of the way to sign in that runs in a terminal of the client. */
const TERMINAL_METHOD = 'login';

export interface InitializeOptions {
  client: ClientCapabilities | undefined;
  /** True: the keys are those of a server. */
  isRemote: boolean;
}

/** What this agent can do. It needs neither the engine nor the SDK of the protocol, so that it is sent at once. */
export function toInitializeResponse({ client, isRemote }: InitializeOptions): InitializeResponse {
  return {
    // The only version. A client of a later one speaks it too, or ends the connection.
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: toAgentInfo(),
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, fork: {}, status: {}, title: {} },
      auth: { status: {}, ...(isRemote ? {} : { logout: {} }) },
    },
    authMethods: toAuthMethods(client, isRemote),
  };
}

export function toAgentInfo() {
  return { name: 'klaus', title: 'Klaus', version: VERSION };
}

/** The ways to sign in that a client can offer. */
export function toAuthMethods(client: ClientCapabilities | undefined, isRemote: boolean): AuthMethod[] {
  const id = KEY_METHOD;
  if (isRemote) {
    const description = 'The keys are those of the server. Run `klaus login` there, and start `klaus serve` again.';
    return [{ id, name: 'API key of the server', description }];
  }
  const key: AuthMethod = {
    id,
    name: 'API key',
    description:
      'Run `klaus login` in a terminal, or set the key of a provider in the environment of the editor, such as ANTHROPIC_API_KEY or OPENAI_API_KEY. `klaus doctor` shows what is missing.',
  };
  if (client?.auth?.terminal !== true) return [key];
  const description = 'Run `klaus login` in a terminal of the editor. It stores the key of a provider.';
  // The client adds the arguments to those of `klaus acp`.
  return [{ type: 'terminal', id: TERMINAL_METHOD, name: 'klaus login', description, args: ['--login'], env: {} }, key];
}
