import type { AgentContext, SessionUpdate } from '@agentclientprotocol/sdk/experimental/v2';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk/unstable';
import { fromTextForm, toTextForm, type EditorPeer } from '../connection/editor-peer.ts';
import { fromForm, toForm } from '../session/input-form.ts';
import { toDraftCall } from './draft-content.ts';
import { toDraftUpdates, toStateUpdate } from './draft-updates.ts';

/** The client of a connection of the draft. It has no files, and reports no unsaved text. */
export function toDraftPeer(editor: AgentContext): EditorPeer {
  let count = 0;
  const newId = (): string => `text-${++count}`;
  const send = (sessionId: string, update: SessionUpdate): void => {
    // It fails when the connection has ended.
    editor.notify('session/update', { sessionId, update }).catch(() => {});
  };
  return {
    update(session, update) {
      for (const each of toDraftUpdates(update, newId)) send(session, each);
    },
    report: (session, activity) => send(session, toStateUpdate(activity)),
    async requestPermission(params, { signal, isCall }) {
      const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
      const { outcome } = await editor.request('session/request_permission', toPermission(params, isCall), options);
      if (outcome.outcome !== 'selected' || typeof outcome['optionId'] !== 'string')
        return { outcome: { outcome: 'cancelled' } };
      return { outcome: { outcome: 'selected', optionId: outcome['optionId'] } };
    },
    async askForm(params, signal) {
      const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
      return fromForm(await editor.request('elicitation/create', toForm(params), options), params.fields);
    },
    async askText(params, signal) {
      const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
      return fromTextForm(await editor.request('elicitation/create', toTextForm(params), options));
    },
    readFile: () => Promise.resolve(undefined),
    writeFile: () => Promise.resolve(),
  };
}

function toPermission({ sessionId, toolCall, options }: RequestPermissionRequest, isCall: boolean) {
  const { title, content } = toolCall;
  const description = (content ?? [])
    .flatMap((each) => (each.type === 'content' && each.content.type === 'text' ? [each.content.text] : []))
    .join('\n\n');
  return {
    sessionId,
    title: title ?? toolCall.toolCallId,
    options,
    ...(isCall ? { subject: { type: 'tool_call' as const, toolCall: toDraftCall(toolCall) } } : { description }),
  };
}
