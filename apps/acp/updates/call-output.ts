import { tailOf } from '@klaus/sdk/cut-text';
import type { ClientCapabilities, SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk/unstable';
import type { CallEntry, Conversation } from '@klaus/sdk/conversation';
import { toOutput } from './call-update.ts';
import { toToolKind } from './tool-kind.ts';

/** Milliseconds between two updates of the same output. */
const PAUSE_MS = 100;
/** Characters of a running call's output that an update contains. */
const MAX_SHOWN = 10_000;

interface Output {
  call: CallEntry;
  text: string;
  /** Number of characters that were received. */
  length: number;
  timer: NodeJS.Timeout | undefined;
}

export interface CallOutputOptions {
  view: Conversation;
  client: ClientCapabilities;
  send: (update: SessionUpdate) => void;
}

/**
 * The output of running commands. Commands run in the sandbox, never in a terminal of the editor. Editors that render
 * the output of an agent's own terminals (`_meta.terminal_output`, an extension that several editors and agents have in
 * common) get it in pieces; others get its end as text, again after each pause.
 */
export class CallOutput {
  readonly #options: CallOutputOptions;
  readonly #outputs = new Map<string, Output>();
  readonly #hasTerminals: boolean;

  constructor(options: CallOutputOptions) {
    this.#options = options;
    this.#hasTerminals = options.client._meta?.['terminal_output'] === true;
  }

  /** Fields of the first update of a call that has a terminal. */
  open(call: CallEntry): { content?: ToolCallContent[]; _meta?: Record<string, unknown> } {
    if (!this.#isTerminal(call)) return {};
    const info = { terminal_id: call.id, cwd: this.#options.view.workspace };
    return { content: [{ type: 'terminal', terminalId: call.id }], _meta: { terminal_info: info } };
  }

  add(call: CallEntry, { offset, text }: { offset: number; text: string }): void {
    const output = this.#outputs.get(call.id) ?? { call, text: '', length: 0, timer: undefined };
    const fresh = text.slice(Math.max(0, output.length - offset));
    output.length = Math.max(output.length, offset + text.length);
    this.#outputs.set(call.id, output);
    if (this.#isTerminal(call)) return this.#sendData(call, fresh);
    output.text = tailOf(output.text + fresh, MAX_SHOWN);
    output.timer ??= setTimeout(() => {
      output.timer = undefined;
      this.#sendText(output);
    }, PAUSE_MS).unref();
  }

  /** Ends the output of a call. True if the editor has a terminal with it. */
  finish(call: CallEntry): boolean {
    const output = this.#outputs.get(call.id);
    clearTimeout(output?.timer);
    this.#outputs.delete(call.id);
    if (!this.#isTerminal(call)) return false;
    // Another process ran it, or it was not run at all.
    if (output === undefined) this.#sendData(call, call.result?.output ?? '');
    return true;
  }

  /** Fields of the last update of a call that has a terminal. */
  exit(call: CallEntry): { _meta?: Record<string, unknown> } {
    if (!this.#isTerminal(call)) return {};
    const detail = call.result?.detail;
    const code = typeof detail === 'object' && detail !== null && 'exitCode' in detail ? detail.exitCode : null;
    return { _meta: { terminal_exit: { terminal_id: call.id, exit_code: code, signal: null } } };
  }

  close(): void {
    for (const { timer } of this.#outputs.values()) clearTimeout(timer);
  }

  #isTerminal({ name }: CallEntry): boolean {
    return this.#hasTerminals && toToolKind(name) === 'execute';
  }

  #sendData({ id: toolCallId }: CallEntry, data: string): void {
    if (data === '') return;
    const _meta = { terminal_output: { terminal_id: toolCallId, data } };
    this.#options.send({ sessionUpdate: 'tool_call_update', toolCallId, _meta });
  }

  #sendText({ call, text }: Output): void {
    this.#options.send({ sessionUpdate: 'tool_call_update', toolCallId: call.id, content: toOutput(call, text) });
  }
}
