import type { CallPart, EventBody, Message } from '../../protocol/index.ts';
import { toFinished, type CallHead } from '../calls/call-events.ts';
import { cutOutput } from '../calls/cut-output.ts';
import type { Work } from '../loop/work.ts';
import type { AgentCall, ProgramExchange } from '../ports/runner.ts';
import { openedOf, runOf } from '../state/state.ts';
import { hasNetwork } from './agent-process.ts';
import { toReceivable } from './call-source.ts';
import { toAgentToolName, toForeignResult, toInput } from './agent-tool.ts';

/** Writes what the requests of a wrapped program show as events, those of one exchange at once. */
export class ProgramExchanges {
  /** Calls without a result, by the id of the program. */
  readonly #open = new Map<string, { head: CallHead; began: number; call: AgentCall }>();

  /** @param request Id of the request, which marks the message as known to the program. */
  toPrompts({ state, engine }: Work, prompts: readonly string[], request: string): EventBody[] {
    if (prompts.length === 0) return [];
    const parts = prompts.map((text) => ({ type: 'text' as const, text }));
    const message: Message = { id: engine.ids.ulid(), role: 'user', origin: 'user', parts, entries: [request] };
    return [{ type: 'message.added', run: runOf(state).id, turn: state.turn, message }];
  }

  toBodies(work: Work, { results, texts, calls }: ProgramExchange): EventBody[] {
    return [...results.flatMap((result) => this.#toFinished(work, result)), ...this.#toMessage(work, texts, calls)];
  }

  #toFinished(work: Work, { id, output, isError }: ProgramExchange['results'][number]): EventBody[] {
    const open = this.#open.get(id);
    if (!open) return [];
    this.#open.delete(id);
    const { engine, redactor, state } = work;
    const at = { redactor, workspace: openedOf(state).workspace, hasNetwork: hasNetwork(work) };
    const text = cutOutput(redactor.redact(output), engine.settings.maxToolOutputContext);
    return [
      toFinished(open.head, {
        outcome: isError ? 'error' : 'ok',
        output: text,
        ...toForeignResult(open.call, text, at),
        durationMs: engine.clock.now() - open.began,
      }),
    ];
  }

  #toMessage(work: Work, texts: readonly string[], calls: readonly AgentCall[]): EventBody[] {
    const { state, engine } = work;
    if (texts.length === 0 && calls.length === 0) return [];
    const began = engine.clock.now();
    const [run, turn] = [runOf(state).id, state.turn];
    const heads = calls.map((call, index): CallHead => {
      // A program may use an id again.
      const id = state.callIds.has(call.id) ? `${call.id}_${engine.ids.ulid()}` : call.id;
      const head = { run, turn, call: id, index: state.calls.length + index, name: toAgentToolName(call.kind) };
      this.#open.set(call.id, { head, began, call });
      return head;
    });
    const parts = calls.map((call, index): CallPart => {
      const { call: id, name } = heads[index]!;
      const input = toInput(call);
      work.originals.set(id, input);
      return { type: 'call', id, name, input };
    });
    const text = texts.map((each) => ({ type: 'text' as const, text: each }));
    const message: Message = { id: engine.ids.ulid(), role: 'assistant', origin: 'model', parts: [...text, ...parts] };
    return [
      { type: 'message.added', run, turn, message },
      ...heads.map((head, index): EventBody => {
        const receives = toReceivable(work, calls[index]!);
        return { type: 'tool.started', ...head, attempt: 1, resume: 'tell', changes: [], ...receives, observed: true };
      }),
    ];
  }
}
