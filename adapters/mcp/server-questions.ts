import type { ToolContext } from '@klaus/core/agent';
import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from '@modelcontextprotocol/client';
import type { CallTimer } from './call-timer.ts';
import { toQuestion } from './server-question.ts';

export type Ask = ToolContext['ask'];

interface OpenCall {
  timer: CallTimer;
  ask?: Ask;
}

/** The questions of one server to the user (elicitation). Each belongs to the last call that is under way. */
export class ServerQuestions {
  readonly #name: string;
  readonly #calls = new Set<OpenCall>();

  constructor(name: string) {
    this.#name = name;
  }

  /** A request begins, during which the server may ask. Returns the function that ends it. */
  begin(call: OpenCall): () => void {
    this.#calls.add(call);
    return () => void this.#calls.delete(call);
  }

  /** Never rejects. @param signal Aborted: the server does not wait any more. */
  async answer(params: ElicitRequestFormParams | ElicitRequestURLParams, signal: AbortSignal): Promise<ElicitResult> {
    const ask = [...this.#calls].findLast((call) => call.ask)?.ask;
    const question = ask && toQuestion(this.#name, params);
    if (!question) return { action: 'decline' };
    const paused = [...this.#calls];
    for (const { timer } of paused) timer.pause();
    try {
      const answer = await ask(question, signal);
      return answer.action === 'accept' && question.url !== undefined ? { action: 'accept' } : answer;
    } catch {
      // The log cannot be written; the call fails with the reason.
      return { action: 'cancel' };
    } finally {
      for (const { timer } of paused) timer.resume();
    }
  }

  /** Asks the user to open the addresses that a call needs. Returns false if one is not. */
  async open(
    elicitations: readonly ElicitRequestURLParams[],
    { ask, signal }: { ask: Ask; signal: AbortSignal },
  ): Promise<boolean> {
    for (const each of elicitations) {
      const question = toQuestion(this.#name, { ...each, mode: 'url' });
      if (!question || (await ask(question, signal)).action !== 'accept') return false;
    }
    return elicitations.length > 0;
  }
}
