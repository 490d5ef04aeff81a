import { describeAmount } from '../../protocol/index.ts';
import { outputLeft, SHORTEST_ANSWER } from '../budget/forecast.ts';
import { isUnpriced } from '../budget/limit-check.ts';
import { priceFor, worstCase } from '../budget/cost.ts';
import { cutBody } from '../model/cut-body.ts';
import type { Work } from '../loop/work.ts';
import type { ProgramRequest, Reservation } from '../ports/runner.ts';
import type { SecretSource } from '../ports/secrets.ts';
import { runOf } from '../state/state.ts';
import { ProgramExchanges } from './program-exchanges.ts';

/** Milliseconds for which a search for secret files counts. */
const FOUND_MS = 1_000;

type InOrder = <T>(run: () => Promise<T>) => Promise<T>;

/** The requests that a wrapped program sends through the proxy. */
export class ProgramRequests {
  readonly #inOrder: InOrder;
  readonly #exchanges = new ProgramExchanges();
  #inFlight = 0;
  #settled = Promise.withResolvers<void>();
  #found: { at: number; values: ReturnType<SecretSource['values']> } | undefined;
  #redact: { known: string; run: (text: string) => string } | undefined;

  /** @param inOrder Runs an operation after all earlier ones. */
  constructor(inOrder: InOrder) {
    this.#inOrder = inOrder;
  }

  /**
   * Reserves the highest cost of a request in the log, with an answer that is as long as the limits allow. Waits while
   * only the reservations of other requests leave no room.
   */
  async reserve(work: Work, request: ProgramRequest): Promise<Reservation | { refused: string }> {
    for (;;) {
      const { promise } = this.#settled;
      const reserved = await this.#tryReserve(work, request);
      if (reserved !== 'later') return reserved;
      await promise;
    }
  }

  #tryReserve(work: Work, request: ProgramRequest): Promise<Reservation | { refused: string } | 'later'> {
    const { state, engine } = work;
    const { model, info, promptTokens } = request;
    return this.#inOrder(async () => {
      if (isUnpriced(state, worstCase(info, promptTokens, 0)))
        return { refused: `No price is known for ${model}, so that the budget in dollars cannot be kept.` };
      const room = outputLeft(state, promptTokens, priceFor(info, promptTokens));
      if (room < Math.min(SHORTEST_ANSWER, request.maxOutputTokens))
        return this.#inFlight > 0 ? 'later' : { refused: describeSpent(work) };
      const maxOutputTokens = Math.min(request.maxOutputTokens, room);
      const id = engine.ids.ulid();
      const head = {
        run: runOf(state).id,
        purpose: 'program' as const,
        turn: state.turn,
        model,
        attempt: 1,
        request: id,
      };
      const reserved = { tokens: promptTokens + maxOutputTokens, usd: worstCase(info, promptTokens, maxOutputTokens) };
      const requestHash = engine.ids.digest(request.body);
      await work.append([
        ...this.#exchanges.toPrompts(work, request.prompts ?? [], id),
        { type: 'model.requested', ...head, requestHash, reserved },
      ]);
      this.#inFlight += 1;
      const settle: Reservation['settle'] = ({ status, message, body, ...end }, exchange) =>
        this.#inOrder(async () => {
          await work.append([
            { type: 'model.attempted', ...head, ...end, status, message, body: cutBody(work, body) },
            ...(exchange ? this.#exchanges.toBodies(work, exchange) : []),
          ]);
          this.#inFlight -= 1;
          // While the program works, so that its next request need not wait. That one reports a failure.
          this.#findSecrets(work, FOUND_MS / 2).catch(() => {});
          this.#settled.resolve();
          this.#settled = Promise.withResolvers();
        });
      return { maxOutputTokens, settle };
    });
  }

  async openRedactor(work: Work): Promise<(text: string) => string> {
    const values = await this.#findSecrets(work, FOUND_MS);
    work.redactor.learn(values);
    const known = values.map(({ value }) => value).join('\n');
    if (this.#redact?.known !== known) this.#redact = { known, run: (text) => work.redactor.redact(text) };
    return this.#redact.run;
  }

  /** The search starts a process. New secret files are also hidden from the program. @param maxAge Of a search that counts. */
  #findSecrets(work: Work, maxAge: number): ReturnType<SecretSource['values']> {
    const now = work.engine.clock.now();
    if (!this.#found || now - this.#found.at > maxAge) this.#found = { at: now, values: work.secrets().values() };
    return this.#found.values;
  }
}

function describeSpent({ state }: Work): string {
  const { usd, tokens } = state.limits;
  const limits = [usd > 0 ? describeAmount('usd', usd) : [], tokens > 0 ? describeAmount('tokens', tokens) : []].flat();
  return `The budget of ${limits.join(' and ')} does not allow another request.`;
}
