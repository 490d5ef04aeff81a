import type { ModelEvent } from '@klaus/core/agent';
import { isRecord, type Part } from '@klaus/core/protocol';
import { parseInput, type ToCallId } from '../wire/call-ids.ts';
import { JsonScanner } from './json-scanner.ts';

/** A piece of a call, in the fields that it has. */
interface Piece {
  index: string | undefined;
  id: string | undefined;
  /** '' if the piece has none. */
  name: string;
  /** Of the arguments. */
  text: string;
  /** What Gemini wants back with the call. */
  extra: Record<string, unknown> | undefined;
}

/** A call that is being assembled. */
interface Call extends Piece {
  scanner: JsonScanner;
  /** Of the arguments: nothing so far, the begin of a JSON text, or all of it. */
  state: 'empty' | 'open' | 'complete';
}

/**
 * Assembles the calls of a chat-completions answer from their pieces. Servers leave out indices, ids and names, repeat
 * them, or make them again for each piece, so none of them alone says to which call a piece belongs:
 *
 * 1. A piece continues the last call that has its index and its id, as far as it has them.
 * 2. It begins a call if there is no such call, or if it is behind a border.
 * 3. A border is a new JSON object behind a complete one, or a new name. A new id with a name is one only before
 *    and behind the arguments, or without an index: some servers make an id for each piece.
 * 4. Before the arguments, a piece without an id continues the name.
 */
export class CallAssembler {
  readonly #calls: Call[] = [];

  /** @param delta One of `tool_calls`. Anything that is no call is ignored. */
  take(delta: unknown): ModelEvent[] {
    const piece = toPiece(delta);
    return piece ? this.#add(piece) : [];
  }

  /** The number of calls. */
  get count(): number {
    return this.#named().length;
  }

  /** Characters of all arguments. */
  get length(): number {
    return this.#calls.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** False if the arguments of a call are incomplete. */
  get isComplete(): boolean {
    return this.#calls.every(({ state }) => state !== 'open');
  }

  finish(toCallId: ToCallId): Part[] {
    return this.#named().map(({ id, name, text, extra }, index) => ({
      type: 'call',
      id: toCallId(id, index),
      name,
      input: parseInput(text),
      ...(extra && { providerState: { data: { extra_content: extra } } }),
    }));
  }

  #named(): Call[] {
    return this.#calls.filter(({ name, state }) => name !== '' || state !== 'empty');
  }

  #add(piece: Piece): ModelEvent[] {
    const known = this.#find(piece);
    const call = known && !isBorder(known, piece) ? known : this.#begin(piece, known);
    call.id ??= piece.id;
    call.extra = piece.extra ?? call.extra;
    call.name = joinNames(call, piece);
    const text = isRepeated(call, piece) ? '' : piece.text;
    // Some gateways send an empty object before the arguments.
    if (isEmptyObject(call) && text.trim() !== '') Object.assign(call, toNew());
    const end = call.state === 'complete' ? undefined : call.scanner.read(text);
    const hasNext = end !== undefined && isObject(text.slice(end));
    const own = hasNext ? text.slice(0, end) : text;
    call.text += own;
    if (end !== undefined) call.state = 'complete';
    else if (call.state === 'empty' && own.trim() !== '') call.state = 'open';
    const event: ModelEvent = { type: 'call', index: this.#calls.indexOf(call), name: call.name, text: own };
    return hasNext
      ? [event, ...this.#add({ ...piece, id: undefined, name: '', text: text.slice(end), extra: undefined })]
      : [event];
  }

  #find(piece: Piece): Call | undefined {
    const found =
      this.#calls.findLast(({ index, id }) => isSame(index, piece.index) && isSame(id, piece.id)) ??
      this.#calls.findLast(({ index }) => isSame(index, piece.index));
    if (found || piece.id !== undefined || piece.name !== '') return found;
    // An index alone begins no call in the middle of another one.
    const last = this.#calls.at(-1);
    return last?.state === 'open' ? last : undefined;
  }

  #begin({ index, id, name, extra }: Piece, before: Call | undefined): Call {
    // Behind a border that is only a new object, the tool is the same.
    const tool = name === '' && id === undefined ? (before?.name ?? '') : name;
    const call: Call = { index, id, name: tool, extra, ...toNew() };
    this.#calls.push(call);
    return call;
  }
}

function toNew(): Pick<Call, 'text' | 'scanner' | 'state'> {
  return { text: '', scanner: new JsonScanner(), state: 'empty' };
}

/** True if a piece that has the call's index begins another call. */
function isBorder(call: Call, piece: Piece): boolean {
  const { id, name, text } = piece;
  const hasNewId = id !== undefined && call.id !== undefined && id !== call.id;
  const hasNewName = name !== '' && call.name !== '' && name !== call.name;
  switch (call.state) {
    case 'complete':
      if (!isObject(text)) return name !== '' && (hasNewId || hasNewName);
      if (isEmptyObject(call)) return hasNewId || hasNewName || (id === undefined && name !== '');
      return !isRepeated(call, piece);
    case 'open':
      return hasNewName || (hasNewId && name !== '' && piece.index === undefined);
    case 'empty':
      if (hasNewId) return name !== '';
      return hasNewName && (id === undefined ? call.id === undefined && text.trim() !== '' : id !== call.id);
  }
}

/** Some servers send a complete call again at its end, or only its arguments. */
function isRepeated(call: Call, { id, name, text }: Piece): boolean {
  if (call.state !== 'complete' || !isObject(text)) return false;
  const isOwn = id === undefined ? name === '' : id === call.id && (name === '' || name === call.name);
  return isOwn && JSON.stringify(parseInput(text)) === JSON.stringify(parseInput(call.text));
}

function isEmptyObject({ state, text }: Call): boolean {
  return state === 'complete' && /^\s*\{\s*\}\s*$/.test(text);
}

/** True for the begin of an object, also of one that is encoded twice. */
function isObject(text: string): boolean {
  return /^\s*"?\{/.test(text);
}

/** A name can be repeated, grow with each piece, or come in pieces. */
function joinNames(call: Call, { name }: Piece): string {
  if (name.startsWith(call.name)) return name;
  return call.state === 'empty' ? call.name + name : call.name;
}

function toPiece(delta: unknown): Piece | undefined {
  if (!isRecord(delta)) return undefined;
  const called = isRecord(delta['function']) ? delta['function'] : delta;
  const { name } = called;
  return {
    index: toKey(delta['index']),
    id: toKey(delta['id']),
    name: typeof name === 'string' ? name : '',
    text: toText(called['arguments'] ?? called['parameters']),
    extra: isRecord(delta['extra_content']) ? delta['extra_content'] : undefined,
  };
}

function toKey(value: unknown): string | undefined {
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? String(value) : undefined;
}

/** Some servers send the arguments as an object. */
function toText(input: unknown): string {
  if (typeof input === 'string') return input;
  return input === undefined || input === null ? '' : JSON.stringify(input);
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}
