import type { ModelEvent } from '@klaus/core/agent';
import { isRecord, type Part } from '@klaus/core/protocol';
import { parseInput, type ToCallId } from '../wire/call-ids.ts';
import { createContent } from '../wire/content.ts';
import { createThinkTags, type ThinkTags } from '../wire/think-tags.ts';
import { toRecords, toText } from '../wire/untrusted.ts';

/** An item of an answer, as far as it is one. A text is '' if the item has none. */
export interface Item {
  type: ItemType;
  id: string;
  callId: string;
  name: string;
  /** JSON text, or the object itself. */
  arguments: unknown;
  summary: readonly Record<string, unknown>[];
  encrypted: string;
  content: readonly Record<string, unknown>[];
}

/** Where an event says that its item is. Servers leave out either, and send one index for all items. */
export interface Place {
  at: number | undefined;
  id: string | undefined;
  /** Index of a part of the item. */
  part: number;
}

/** What an event adds to an item. */
export interface Piece {
  text: unknown;
  /** The text is the complete part. */
  isAll: boolean;
  /** Of a call. */
  name?: string | undefined;
}

type ItemType = 'message' | 'reasoning' | 'function_call';

/** What an event says about the item that it is about. */
interface Key {
  type: ItemType;
  at: number | undefined;
  id: string | undefined;
}

/** An item that is being assembled. */
interface Building extends Key {
  /** As the events of the item itself have it: without what its deltas contain. */
  item: Item;
  /** Texts from deltas, by part. */
  parts: Map<number, string>;
  tags: ThinkTags;
  /** The position of a call among the calls. */
  call: number;
  isAnnounced: boolean;
  isDone: boolean;
}

/**
 * Assembles the items of a Responses answer. An event counts regardless of those that should come before it: an item
 * begins with the first event about it, and what its last event lacks is taken from the deltas.
 */
export class ResponseItems {
  readonly #items: Building[] = [];

  /** Takes an item that begins or is done. */
  takeItem(item: Item, { at }: Place, isDone: boolean): ModelEvent[] {
    const key = { type: item.type, at, id: item.id || item.callId || undefined };
    const known = isDone ? this.#find(key) : this.#items.find((each) => !each.isAnnounced && isSame(each, key));
    const building = known ?? this.#begin(key);
    const isNew = building.item.name === '';
    building.item = merge(building.item, item);
    building.isAnnounced = true;
    building.isDone ||= isDone;
    return item.type === 'function_call' && isNew ? [this.#toEvent(building, '')] : [];
  }

  /** Takes a piece of an item. */
  takePiece(type: ItemType, { at, id, part }: Place, piece: Piece): ModelEvent[] {
    const building = this.#find({ type, at, id }) ?? this.#begin({ type, at, id });
    building.item.name ||= piece.name ?? '';
    const before = building.parts.get(part) ?? '';
    const text = toPieceText(piece.text);
    building.parts.set(part, piece.isAll ? text || before : before + text);
    if (text === '' || (piece.isAll && before !== '')) return [];
    if (type === 'function_call') return [this.#toEvent(building, text)];
    return type === 'reasoning' ? [{ type: 'thinking', text }] : building.tags.split(text);
  }

  takeRefusal(place: Place, piece: Piece): ModelEvent[] {
    const events = this.takePiece('message', place, piece);
    const building = this.#find({ type: 'message', at: place.at, id: place.id })!;
    building.item.content = [{ type: 'refusal', refusal: joinParts(building) }];
    return events;
  }

  /** The items in the order of the answer. */
  list(): Item[] {
    const isOrdered = this.#items.every(({ at }) => at !== undefined);
    const items = isOrdered ? this.#items.toSorted((one, other) => one.at! - other.at!) : this.#items;
    return items.map(toComplete).filter(isFilled);
  }

  /** True if every item was sent as done, and the last of them is what an answer ends with. */
  get isDone(): boolean {
    return this.#items.every(({ isDone }) => isDone) && (this.#items.at(-1)?.type ?? 'reasoning') !== 'reasoning';
  }

  #find(key: Key): Building | undefined {
    const last = this.#items.at(-1);
    if (last?.type === key.type && last.at === key.at && last.id === key.id) return last;
    return (
      this.#items.findLast((each) => isSame(each, key)) ??
      this.#items.findLast((each) => !each.isDone && isSame({ ...each, id: undefined }, key)) ??
      this.#items.findLast((each) => key.id !== undefined && isSame({ ...each, at: undefined }, key))
    );
  }

  #begin(key: Key): Building {
    const building = {
      ...key,
      item: toItem({ type: key.type })!,
      parts: new Map(),
      tags: createThinkTags(),
      call: this.#items.filter(({ type }) => type === 'function_call').length,
      isAnnounced: false,
      isDone: false,
    };
    this.#items.push(building);
    return building;
  }

  #toEvent({ call, item }: Building, text: string): ModelEvent {
    return { type: 'call', index: call, name: item.name, text };
  }
}

/** Undefined for an item of another type: a tool that the provider runs itself, which Klaus never asks for. */
export function toItem(raw: Record<string, unknown>): Item | undefined {
  const { type } = raw;
  if (type !== 'message' && type !== 'reasoning' && type !== 'function_call') return undefined;
  return {
    type,
    id: toText(raw['id']),
    callId: toText(raw['call_id']),
    name: toText(raw['name']),
    arguments: raw['arguments'] ?? '',
    summary: toRecords(raw['summary']),
    encrypted: toText(raw['encrypted_content']),
    content: toRecords(raw['content']),
  };
}

/** The parts of complete items. */
export function toParts(items: readonly Item[], toCallId: ToCallId): { parts: Part[]; isRefusal: boolean } {
  let calls = 0;
  let isRefusal = false;
  const parts = items.flatMap((item): Part[] => {
    switch (item.type) {
      case 'reasoning':
        return toThinking(item);
      case 'message': {
        const content = createContent();
        content.take(item.content);
        const said = content.finish();
        isRefusal ||= content.isRefusal;
        return said;
      }
      case 'function_call': {
        const input = typeof item.arguments === 'string' ? parseInput(item.arguments) : item.arguments;
        return [{ type: 'call', id: toCallId(item.callId || undefined, calls++), name: item.name, input }];
      }
    }
  });
  return { parts, isRefusal };
}

/** True for an item that adds to the answer. */
export function isFilled(item: Item): boolean {
  return item.type === 'function_call' || toParts([item], () => '').parts.length > 0;
}

function toThinking({ id, summary, content, encrypted }: Item): Part[] {
  const texts = summary.length > 0 ? summary : content;
  const text = texts.map((part) => toText(part['text'])).join('\n\n');
  if (text === '' && encrypted === '') return [];
  const providerState = encrypted === '' ? undefined : { data: { id, encrypted_content: encrypted } };
  return [{ type: 'thinking', text, ...(providerState && { providerState }) }];
}

/** The item with what only its deltas contain. */
function toComplete(building: Building): Item {
  const { type, item, parts } = building;
  if (parts.size === 0) return item;
  if (type === 'function_call') return item.arguments === '' ? { ...item, arguments: joinParts(building) } : item;
  if (item.content.length > 0 || item.summary.length > 0) return item;
  return type === 'message'
    ? { ...item, content: [{ type: 'output_text', text: joinParts(building) }] }
    : { ...item, summary: [...parts.values()].map((text) => ({ text })) };
}

function joinParts({ parts }: Building): string {
  return [...parts.values()].join('');
}

/** The fields of both; the later ones replace the earlier ones unless they are empty. */
function merge(before: Item, item: Item): Item {
  const filled = Object.entries(item).filter(
    ([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return { ...before, ...Object.fromEntries(filled) };
}

/** True for the same item, as far as both have an index and an id. */
function isSame(one: Key, other: Key): boolean {
  return one.type === other.type && agree(one.at, other.at) && agree(one.id, other.id);
}

function agree(one: string | number | undefined, other: string | number | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

/** Some servers send an object with the text, or the arguments as an object. */
function toPieceText(value: unknown): string {
  if (!isRecord(value)) return toText(value);
  return typeof value['text'] === 'string' ? value['text'] : JSON.stringify(value);
}
