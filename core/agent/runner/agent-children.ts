import type { Work } from '../loop/work.ts';
import type { RunnerChild } from '../ports/runner.ts';

/** Opens the recorded child session of a call and begins its run. */
export type OpenRunnerChild = (
  work: Work,
  given: { call: string; task: string; signal: AbortSignal },
) => Promise<RunnerChild>;

/** The child sessions of a turn of an agent. */
export class AgentChildren {
  readonly #open: OpenRunnerChild;
  readonly #inOrder: <T>(run: () => Promise<T>) => Promise<T>;
  readonly #opened = new Set<Promise<RunnerChild>>();

  /** @param inOrder Runs an operation on the log of the parent after all earlier ones. */
  constructor(open: OpenRunnerChild, inOrder: <T>(run: () => Promise<T>) => Promise<T>) {
    this.#open = open;
    this.#inOrder = inOrder;
  }

  async open(...given: Parameters<OpenRunnerChild>): Promise<RunnerChild> {
    const opening = this.#inOrder(() => this.#open(...given));
    this.#opened.add(opening);
    const opened = await opening;
    return {
      ...opened,
      end: async (outcome) => {
        if (this.#opened.delete(opening)) await this.#inOrder(() => opened.end(outcome));
      },
    };
  }

  /** Ends those that have not ended. One that could not be opened has no end. */
  async endAll(): Promise<void> {
    const all = [...this.#opened];
    this.#opened.clear();
    for (const result of await Promise.allSettled(all)) {
      if (result.status === 'fulfilled') await this.#inOrder(() => result.value.end('failed'));
    }
  }
}
