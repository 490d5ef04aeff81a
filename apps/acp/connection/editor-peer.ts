import type {
  AgentContext,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk/unstable';

/** Milliseconds in which an editor must answer for a file. */
const FILE_MS = 5_000;

/** Whether a session works. `stopReason` is absent if no work of this connection ended. */
export type Activity =
  | { state: 'running' | 'requires_action' }
  | { state: 'idle'; stopReason?: StopReason }
  | { state: 'idle'; stopReason: 'error'; message: string };

/** A file of the editor. */
interface EditorFile {
  sessionId: string;
  /** Absolute. */
  path: string;
}

/** The client of a connection, in any version of the protocol. */
export interface EditorPeer {
  /** Never throws. */
  update(session: string, update: SessionUpdate): void;
  /**
   * Reports whether a session works. Never throws. Absent: a prompt is answered when its run ends, and the client shows
   * its own messages by itself.
   */
  report?: (session: string, activity: Activity) => void;
  /** @param options.isCall False for a question that concerns no tool call, such as a limit. */
  requestPermission(
    params: RequestPermissionRequest,
    options: { signal: AbortSignal; isCall: boolean },
  ): Promise<RequestPermissionResponse>;
  /** Its unsaved text. Undefined: the editor does not answer. */
  readFile(file: EditorFile): Promise<string | undefined>;
  /** Never throws. */
  writeFile(file: EditorFile & { content: string }): Promise<void>;
}

/** The client of a connection of version 1. */
export function toPeer(editor: AgentContext): EditorPeer {
  const options = () => ({ cancellationSignal: AbortSignal.timeout(FILE_MS), stopWaitingOnCancel: true });
  return {
    update(sessionId, update) {
      // It fails when the connection has ended.
      editor.notify('session/update', { sessionId, update }).catch(() => {});
    },
    requestPermission: (params, { signal }) =>
      editor.request('session/request_permission', params, { cancellationSignal: signal, stopWaitingOnCancel: true }),
    async readFile(file) {
      try {
        return (await editor.request('fs/read_text_file', { ...file }, options())).content;
      } catch {
        return undefined;
      }
    },
    async writeFile(file) {
      await editor.request('fs/write_text_file', file, options()).catch(() => {});
    },
  };
}
