import type {
  AgentContext,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk/unstable';

import { fromForm, toForm, type FormAnswer, type FormRequest } from '../session/input-form.ts';

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

/** A question whose answer is a text. */
export interface TextRequest {
  session: string;
  message: string;
  title: string;
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
  /** Asks for the fields of a form. Only for clients with `elicitation.form`. */
  askForm(params: FormRequest, signal: AbortSignal): Promise<FormAnswer>;
  /** Asks for one line. Undefined: the user gave none. Only for clients with `elicitation.form`. */
  askText(params: TextRequest, signal: AbortSignal): Promise<string | undefined>;
  /** Its unsaved text. Undefined: the editor does not answer. */
  readFile(file: EditorFile): Promise<string | undefined>;
  /** Never throws. */
  writeFile(file: EditorFile & { content: string }): Promise<void>;
}

/** The form of a question. It is the same in both versions. */
export function toTextForm({ session, message, title }: TextRequest) {
  return {
    mode: 'form' as const,
    sessionId: session,
    message,
    requestedSchema: {
      type: 'object' as const,
      properties: { text: { type: 'string' as const, title } },
      required: ['text'],
    },
  };
}

/** The text of an answered form. @param response Checked by the SDK, apart from the fields of the form. */
export function fromTextForm(response: { action: string; content?: unknown }): string | undefined {
  const { action, content } = response;
  if (action !== 'accept' || typeof content !== 'object' || content === null || !('text' in content)) return undefined;
  return typeof content.text === 'string' && content.text.trim() !== '' ? content.text.trim() : undefined;
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
    async askForm(params, signal) {
      const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
      return fromForm(await editor.request('elicitation/create', toForm(params), options), params.fields);
    },
    async askText(params, signal) {
      const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
      return fromTextForm(await editor.request('elicitation/create', toTextForm(params), options));
    },
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
