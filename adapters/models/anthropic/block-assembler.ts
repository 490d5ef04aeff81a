import type { ModelEvent } from '@klaus/core/agent';
import { isRecord, type Part } from '@klaus/core/protocol';
import { parseInput, type ToCallId } from '../wire/call-ids.ts';
import { createContent, type Content } from '../wire/content.ts';
import { MalformedResponse } from '../failure/errors.ts';
import { toText } from '../wire/untrusted.ts';

type Fields = Record<string, unknown>;

/** A block that is being assembled. */
interface Building {
  index: number | undefined;
  type: string;
  id: string;
  name: string;
  /** Of a call, as the begin of the block has it. */
  input: unknown;
  /** Of redacted thinking. */
  data: string;
  /** Of a block of text. */
  content: Content;
  thinking: string;
  signature: string;
  /** The received part of a call's arguments. */
  json: string;
  /** The position of a call among the calls. */
  call: number;
}

/**
 * Assembles the content blocks of a Messages answer. A start always begins a block, also with an index that another
 * one has. A delta belongs to the last block of its index and kind; without one, it begins it.
 */
export class BlockAssembler {
  readonly #blocks: Building[] = [];
  #calls = 0;

  /** @param block The begin of a content block, or all of it. */
  begin(index: number | undefined, block: Fields): ModelEvent[] {
    const building = this.#begin(index, block);
    const { type, name } = building;
    if (type === 'tool_use') return [{ type: 'call', index: building.call, name, text: '' }];
    building.signature = toText(block['signature']);
    return type === 'thinking'
      ? growThinking(building, block['thinking'])
      : type === 'text'
        ? building.content.take(block['text'])
        : [];
  }

  /**
   * @param delta Its kind is the field that it has.
   * @throws MalformedResponse for arguments of a call that has not begun.
   */
  grow(index: number | undefined, delta: Fields): ModelEvent[] {
    const { text, thinking, signature, partial_json: json } = delta;
    if (text) return this.#find(index, 'text').content.take(text);
    if (thinking) return growThinking(this.#find(index, 'thinking'), thinking);
    if (signature) this.#find(index, 'thinking').signature += toText(signature);
    return json ? growCall(this.#find(index, 'tool_use'), json) : [];
  }

  /** Characters of all blocks. */
  get length(): number {
    return this.#blocks.reduce(
      (sum, { content, thinking, json }) => sum + content.length + thinking.length + json.length,
      0,
    );
  }

  finish(toCallId: ToCallId): Part[] {
    return this.#blocks.flatMap((building) => toParts(building, toCallId));
  }

  #begin(index: number | undefined, block: Fields): Building {
    const building = {
      index,
      type: toText(block['type']),
      id: toText(block['id']),
      name: toText(block['name']),
      input: block['input'],
      data: toText(block['data']),
      content: createContent(),
      thinking: '',
      signature: '',
      json: '',
      call: block['type'] === 'tool_use' ? this.#calls++ : -1,
    };
    this.#blocks.push(building);
    return building;
  }

  #find(index: number | undefined, type: string): Building {
    // Also the tools of the provider.
    const isOfType = (each: Building): boolean =>
      each.type === type || (type === 'tool_use' && each.type.endsWith('_tool_use'));
    const last = this.#blocks.findLast((each) => index === undefined || each.index === index);
    if (last && isOfType(last)) return last;
    // Some gateways count blocks in another way than they send them.
    const begun = type === 'tool_use' ? this.#blocks.findLast(isOfType) : undefined;
    if (type === 'tool_use' && !begun) throw new MalformedResponse('Arguments came for a call that has not begun.');
    return begun ?? this.#begin(index, { type });
  }
}

function growThinking(building: Building, thinking: unknown): ModelEvent[] {
  if (typeof thinking !== 'string' || thinking === '') return [];
  building.thinking += thinking;
  return [{ type: 'thinking', text: thinking }];
}

function growCall(building: Building, json: unknown): ModelEvent[] {
  const text = typeof json === 'string' ? json : JSON.stringify(json);
  building.json += text;
  // Not of the tools of the provider.
  return building.call < 0 ? [] : [{ type: 'call', index: building.call, name: building.name, text }];
}

function toParts(building: Building, toCallId: ToCallId): Part[] {
  const { type, id, name, content, thinking, signature, data, call } = building;
  switch (type) {
    case 'text':
      return content.finish();
    case 'thinking':
      if (thinking === '' && signature === '') return [];
      return [
        { type: 'thinking', text: thinking, ...(signature !== '' && { providerState: { data: { signature } } }) },
      ];
    case 'redacted_thinking':
      return [{ type: 'thinking', text: '', providerState: { data: { redacted_thinking: data } } }];
    case 'tool_use':
      return [{ type: 'call', id: toCallId(id || undefined, call), name, input: toInput(building) }];
    default: // what the provider's own tools did; Klaus asks for none of them
      return [];
  }
}

/** Some servers send the complete input with the begin of the block, and an empty object after it. */
function toInput({ json, input }: Building): unknown {
  const given = typeof input === 'string' ? parseInput(input) : input;
  const isGiven = isRecord(given) && Object.keys(given).length > 0;
  return isGiven && /^\s*(?:\{\s*\})?\s*$/.test(json) ? given : parseInput(json);
}
