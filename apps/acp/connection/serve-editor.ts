import type { AgentProtocolRouter } from '@agentclientprotocol/sdk/experimental/v2';
import { MessageTooLargeError, ndJsonStream, type AgentApp } from '@agentclientprotocol/sdk/unstable';
import type { AcpOptions } from './acp-options.ts';
import type { ByteStreams } from './early-initialize.ts';
import { createApp } from './editor-app.ts';
import { toPeer, type EditorPeer } from './editor-peer.ts';
import { EditorSessions } from './editor-sessions.ts';

/** Serves one connection until it ends. */
export async function serveEditor({ input, output }: ByteStreams, options: AcpOptions): Promise<void> {
  let sessions: EditorSessions | undefined;
  let signal: AbortSignal | undefined;
  const of = (): EditorSessions => sessions!;
  const begin = (peer: EditorPeer, ended: AbortSignal): void => {
    signal = ended;
    sessions = new EditorSessions(options, { peer, signal: ended });
  };
  const app = createApp(of).onConnect((connection) => begin(toPeer(connection.client), connection.signal));
  const agent = options.protocolVersion === 2 ? await withDraft(app, { of, begin }) : app;
  const connection = agent.connect(ndJsonStream(output, input));
  await connection.closed;
  if (signal?.reason instanceof MessageTooLargeError) options.log(`The connection ends: ${signal.reason.message}.`);
  await sessions?.close();
}

/** The draft has its own SDK, which is loaded only for it. */
async function withDraft(
  app: AgentApp,
  { of, begin }: { of: () => EditorSessions; begin: (peer: EditorPeer, ended: AbortSignal) => void },
): Promise<AgentProtocolRouter> {
  const [{ agentProtocolRouter }, { createDraftApp }, { toDraftPeer }] = await Promise.all([
    import('@agentclientprotocol/sdk/experimental/v2'),
    import('../draft/draft-app.ts'),
    import('../draft/draft-peer.ts'),
  ]);
  const draft = createDraftApp(of).onConnect(({ client, signal }) => begin(toDraftPeer(client), signal));
  return agentProtocolRouter().withV1(app).withV2(draft);
}
