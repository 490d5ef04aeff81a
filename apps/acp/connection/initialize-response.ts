import type { AuthMethod, ClientCapabilities, InitializeResponse } from '@agentclientprotocol/sdk/unstable';
import { VERSION } from '@klaus/sdk/version';

/** The version of the protocol that this agent speaks. */
const PROTOCOL_VERSION = 1;

/** Id of the way to sign in that needs nothing of the client. */
export const KEY_METHOD = 'api-key';

/** What this agent can do. It needs neither the engine nor the SDK of the protocol, so that it is sent at once. */
export function toInitializeResponse(client: ClientCapabilities | undefined): InitializeResponse {
  return {
    // The only version. A client of a later one speaks it too, or ends the connection.
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'klaus', title: 'Klaus', version: VERSION },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {}, fork: {}, status: {}, title: {} },
      auth: { status: {} },
    },
    authMethods: toAuthMethods(client),
  };
}

function toAuthMethods(_client: ClientCapabilities | undefined): AuthMethod[] {
  return [
    {
      id: KEY_METHOD,
      name: 'API key',
      description:
        'Set the key of a model provider, such as ANTHROPIC_API_KEY or OPENAI_API_KEY, in the environment of the editor, then try again. `klaus doctor` shows what is missing.',
    },
  ];
}
