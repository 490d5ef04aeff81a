import type { ClientCapabilities, ContentBlock, Plan, SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import { diffOf, foldConversation, type CallEntry, type Conversation } from '@klaus/sdk/conversation';
import type { Event, EventOf, Live, Message, Part } from '@klaus/sdk';
import { CallOutput } from './call-output.ts';
import { toDiffFields, toFinished, toToolCall } from './call-update.ts';
import { StreamedText } from './streamed-text.ts';

export interface EventUpdatesOptions {
  view: Conversation;
  /** The workspace, as the editor names it. */
  folder: () => string;
  client: ClientCapabilities;
  send: (update: SessionUpdate) => void;
  /** True: the client shows its own messages only when it gets them back. */
  isEcho: boolean;
  /** Called after a change of the mode, the model or the effort, which editors show in their own way. */
  onChoice: () => void;
}

/** Sends what happens in a session to an editor: the fold of its log, and in-flight text before it is in the log. */
export class EventUpdates {
  readonly #options: EventUpdatesOptions;
  readonly #streamed = new StreamedText();
  readonly #output: CallOutput;
  /** The compaction that runs now. */
  #compaction: string | undefined;
  #commands = 0;

  constructor(options: EventUpdatesOptions) {
    this.#options = options;
    this.#output = new CallOutput(options);
  }

  /** Folds an event without sending it. */
  fold(event: Event): void {
    foldConversation(this.#options.view, event);
  }

  /** @param options.isOwn True for a message that this editor sent and shows already. */
  event(event: Event, { isOwn = false }: { isOwn?: boolean } = {}): void {
    const { view } = this.#options;
    const todos = toTodos(view);
    this.fold(event);
    if (toTodos(view) !== todos) this.#sendPlan();
    switch (event.type) {
      case 'message.added':
        if (event.message.origin === 'model') return this.#sendAnswer(event.message);
        if (!isOwn && isOfUser(event.message)) this.#sendParts(event.message);
        return;
      case 'tool.started':
      case 'approval.asked':
      case 'tool.finished':
        return this.#sendCall(event);
      case 'session.changed':
        return this.#sendChange(event);
      case 'model.requested':
      case 'model.attempted':
      case 'context.compacted':
        this.#sendCompaction(event);
        if (event.type === 'model.attempted' && event.outcome === 'ok') this.sendUsage();
        if (event.type === 'model.attempted' && event.fallback)
          this.notice(
            'warning',
            `${event.model} cannot answer (${event.outcome}). ${event.fallback.model} answers instead.`,
          );
        return;
      case 'run.finished':
        this.#options.send({ sessionUpdate: 'session_info_update', updatedAt: new Date(event.at).toISOString() });
        return;
      case 'notice':
        this.notice(event.level === 'warn' ? 'warning' : event.level, event.text);
        return;
      default:
        return;
    }
  }

  live(live: Live): void {
    const { send } = this.#options;
    if (live.type === 'tool.progress') {
      const call = this.#call(live.call);
      if (call) this.#output.add(call, live);
    } else if (live.type === 'message.discarded') {
      // What was sent cannot be removed.
      if (this.#streamed.forget(live.message))
        send(toChunk('text', '\n\n*The answer was interrupted and starts again.*\n\n'));
    } else if (live.part !== 'call') {
      const text = this.#streamed.add(live, live.part);
      if (text !== '') send(toChunk(live.part, text, live.message));
    }
  }

  /** A message for the user that belongs to no answer. Editors without notices get warnings and errors as text. */
  notice(severity: 'info' | 'warning' | 'error', title: string): void {
    const { client, send } = this.#options;
    if (client.session?.notices) send({ sessionUpdate: 'notice', severity, title });
    else if (severity !== 'info') send(toChunk('text', `*${title}*\n\n`));
  }

  /** Shows a command that no message of the log contains, to clients that show messages only when they get them back. Returns its id. */
  command(parts: readonly Part[]): string {
    const id = `command-${++this.#commands}`;
    if (this.#options.isEcho) this.#sendParts({ id, parts });
    return id;
  }

  /** A text of this agent that no model wrote. */
  say(text: string): void {
    this.#options.send(toChunk('text', text));
  }

  sendUsage(): void {
    const { contextTokens: used, contextWindow: size, usd } = this.#options.view;
    if (size === 0) return;
    const cost = usd === null ? {} : { cost: { amount: usd, currency: 'USD' } };
    this.#options.send({ sessionUpdate: 'usage_update', used, size, ...cost });
  }

  sendTitle(): void {
    const { title } = this.#options.view;
    if (title !== '') this.#options.send({ sessionUpdate: 'session_info_update', title });
  }

  /** Stops the output that is still to be sent. */
  close(): void {
    this.#output.close();
  }

  #sendAnswer(message: Message): void {
    const { folder, send } = this.#options;
    for (const part of ['thinking', 'text'] as const) {
      const texts = message.parts.flatMap((each) => (each.type === part ? [each.text] : []));
      const rest = this.#streamed.rest(message.id, part, texts);
      if (rest.trim() !== '') send(toChunk(part, rest, message.id));
    }
    this.#streamed.forget(message.id);
    for (const part of message.parts) {
      const call = part.type === 'call' ? this.#call(part.id) : undefined;
      if (!call) continue;
      send({ sessionUpdate: 'tool_call', ...toToolCall(call, folder()), ...this.#output.open(call) });
    }
  }

  #sendParts({ id, parts }: Pick<Message, 'id'> & { parts: readonly Part[] }): void {
    for (const part of parts) {
      const content = toContent(part);
      if (content) this.#options.send({ sessionUpdate: 'user_message_chunk', content, messageId: id });
    }
  }

  #sendCall(event: EventOf<'tool.started' | 'approval.asked' | 'tool.finished'>): void {
    const { folder, send } = this.#options;
    const workspace = folder();
    if (event.type === 'approval.asked') {
      const { subject } = event;
      if (subject.kind === 'limit' || subject.kind === 'input') return;
      const status = subject.kind === 'changes' ? 'in_progress' : 'pending';
      const fields = toDiffFields(diffOf(event), workspace);
      send({ sessionUpdate: 'tool_call_update', toolCallId: subject.call, status, ...fields });
      return;
    }
    const call = this.#call(event.call);
    if (!call) return;
    if (event.type === 'tool.started') {
      const fields = toDiffFields(call.diff, workspace);
      send({ sessionUpdate: 'tool_call_update', toolCallId: call.id, status: 'in_progress', ...fields });
      return;
    }
    const hasTerminal = this.#output.finish(call);
    send({
      sessionUpdate: 'tool_call_update',
      ...toFinished(call, workspace, hasTerminal),
      ...this.#output.exit(call),
    });
  }

  #sendChange({ title, mode, model, effort }: EventOf<'session.changed'>): void {
    const { send, onChoice } = this.#options;
    if (title !== undefined) this.sendTitle();
    if (mode !== undefined) send({ sessionUpdate: 'current_mode_update', currentModeId: mode });
    if (mode !== undefined || model !== undefined || effort !== undefined) onChoice();
  }

  #sendCompaction(event: EventOf<'model.requested' | 'model.attempted' | 'context.compacted'>): void {
    const { client, send } = this.#options;
    if (!client.session?.compaction) return;
    const compactionId = this.#compaction ?? `c${event.seq}`;
    if (event.type === 'context.compacted') {
      this.#compaction = undefined;
      // The log has the complete summary, so that it is one piece.
      const content: ContentBlock = { type: 'text', text: event.summary };
      if (event.summary !== '') send({ sessionUpdate: 'compaction_summary_chunk', compactionId, content });
      send({ sessionUpdate: 'compaction_update', compactionId, status: 'completed' });
    } else if (event.purpose !== 'compaction') return;
    else if (event.type === 'model.requested') {
      this.#compaction = compactionId;
      send({ sessionUpdate: 'compaction_update', compactionId, status: 'in_progress' });
    } else if (event.outcome !== 'ok' && event.retryInMs === undefined) {
      this.#compaction = undefined;
      const status = event.outcome === 'cancelled' ? 'cancelled' : 'failed';
      send({ sessionUpdate: 'compaction_update', compactionId, status, error: event.message ?? event.outcome });
    }
  }

  #sendPlan(): void {
    const todos = toTodos(this.#options.view) ?? [];
    const entries: Plan['entries'] = todos.map(({ text, status }) => ({
      content: text,
      priority: 'medium',
      status: status === 'done' ? 'completed' : status,
    }));
    this.#options.send({ sessionUpdate: 'plan', entries });
  }

  #call(id: string): CallEntry | undefined {
    const { calls, entries } = this.#options.view;
    const at = calls.get(id);
    const entry = at === undefined ? undefined : entries[at];
    return entry?.kind === 'call' ? entry : undefined;
  }
}

function toTodos({ todoList }: Conversation) {
  return todoList?.todos;
}

function isOfUser({ origin }: Message): boolean {
  return origin === 'user' || origin === 'steer';
}

function toChunk(part: 'text' | 'thinking', text: string, messageId?: string): SessionUpdate {
  const sessionUpdate = part === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk';
  return { sessionUpdate, content: { type: 'text', text }, messageId };
}

/** A part of a user's message; undefined for what is not shown. */
function toContent(part: Part): ContentBlock | undefined {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') return { type: 'image', data: part.data, mimeType: part.mediaType };
  if (part.type !== 'file') return undefined;
  const uri = `attachment:${encodeURIComponent(part.name)}`;
  if (part.text === undefined) return { type: 'resource_link', uri, name: part.name, mimeType: part.mediaType };
  return { type: 'resource', resource: { uri, text: part.text, mimeType: part.mediaType } };
}
