import { toCalled, toText, type EventOf, type Message } from '../../protocol/index.ts';
import { countBytes } from '../context/count-bytes.ts';
import { cutInputs } from '../context/cut-input.ts';
import { isPinMessage, toPinMessage, toPinsMessage } from '../context/pins.ts';
import { isTodoMessage, toTodoMessage } from '../context/todos.ts';
import { foldMessageSource } from './fold-taint.ts';
import type { State } from './state.ts';

/** Beginning of the id of a message that reports the ends of background processes to the model. */
export const PROCESS_REPORT = 'processes:';

export function foldMessage(state: State, event: EventOf<'message.added'>): void {
  const { message, turn } = event;
  foldMessageSource(state, event);
  if (state.run) state.run.empty = false;
  if (message.id.startsWith(PROCESS_REPORT)) for (const each of state.processes.values()) each.isReported = true;
  if (message.origin === 'user' && state.firstPrompt === undefined) state.firstPrompt = toText(message);
  // An agent that another program drives can begin a call while others are open.
  const open = state.calls.length;
  const isShell = message.origin === 'shell';
  if (open > 0) state.held.push(message);
  else if (isShell) {
    // A turn without a request. The model gets the command with its result.
    state.turn = turn;
    delete state.tree;
  } else pushMessage(state, message);
  if (message.role !== 'assistant' && !isShell) return;
  const calls = message.parts
    .filter((part) => part.type === 'call')
    .map((part, index) => ({
      id: part.id,
      index: open + index,
      ...toCalled(part),
      redacted: part.redacted === true,
      ...(isShell ? { by: 'user' as const } : {}),
    }));
  state.calls.push(...calls);
  for (const call of calls) state.callIds.add(call.id);
}

export function foldPin(state: State, { pin: id, text, source, known }: EventOf<'context.pinned'>): void {
  const pin = { id, text, source };
  state.pins.push(pin);
  if (known) return;
  if (state.calls.length > 0) state.held.push(toPinMessage(pin));
  else pushMessage(state, toPinMessage(pin));
}

export function foldUnpin(state: State, { pin }: EventOf<'context.unpinned'>): void {
  state.pins = state.pins.filter(({ id }) => id !== pin);
}

export function foldCompaction(state: State, event: EventOf<'context.compacted'>): void {
  const { run } = state;
  const isRequested = run?.isCompactionRequested ?? false;
  if (run) run.isCompactionRequested = false;
  if (event.dropped === 0) {
    // The run continues if it does not need the space.
    if (run && (run.mustCompact || !isRequested))
      run.failure = { code: 'context_window', message: 'the context window is full and nothing can be left out' };
    return;
  }
  const from = state.messages.findIndex((message) => message.id === event.firstKept);
  const kept = from < 0 ? [] : state.messages.slice(from);
  const dropped = from < 0 ? state.messages : state.messages.slice(0, from);
  const context = dropped.filter((message) => message.origin === 'context');
  state.messages = [];
  state.bytes = 0;
  delete state.measured;
  pushMessage(state, {
    id: `summary-${event.seq}`,
    role: 'user',
    origin: 'engine',
    parts: [{ type: 'text', text: event.summary }],
  });
  if (state.pins.length > 0) pushMessage(state, toPinsMessage(state.pins, event.seq));
  const todos = toTodoMessage(state.todoList, event.seq);
  if (todos) pushMessage(state, todos);
  for (const message of [...context, ...kept])
    if (!isPinMessage(message) && !isTodoMessage(message)) pushMessage(state, message);
  if (run) {
    run.mustCompact = false;
    run.compacted = true;
  }
}

export function pushMessage(state: State, added: Message): void {
  const message = cutInputs(added);
  state.messages.push(message);
  state.bytes += countMessage(message);
}

/** UTF-8 bytes of the parts of a message that become prompt tokens. An image counts as about 1,600 tokens. */
function countMessage(message: Message): number {
  let sum = 0;
  for (const part of message.parts) {
    if (part.type === 'text' || part.type === 'thinking' || part.type === 'result') sum += countBytes(part.text);
    else if (part.type === 'call') sum += countBytes(part.name) + countBytes(JSON.stringify(part.input ?? null));
    else if (part.type === 'file') sum += countBytes(part.name) + countBytes(part.text ?? '');
    else sum += 6_400;
  }
  return sum + 16;
}
