import { NO_USAGE, toCountedTokens, type ModelFailureCode, type Reserved, type Usage } from '../../protocol/index.ts';
import { countBytes } from '../context/count-bytes.ts';
import type { ModelEvent, ModelInfo } from '../ports/model.ts';
import { cost } from './cost.ts';
import { BYTES_PER_TOKEN } from './forecast.ts';

/** The charge for a request that has ended. */
export interface Charge {
  usage: Usage;
  /** Null: the price is unknown. */
  usd: number | null;
  /** What the request may have cost in addition, because a part of its work was not streamed. */
  held?: Reserved;
  /** True: the provider has not reported all of `usage`. */
  estimated?: true;
}

/** For a request that ended before the first token of its answer. */
export const NO_CHARGE: Charge = { usage: NO_USAGE, usd: 0 };

/** Failures after which a provider may have worked on an answer of which nothing has arrived. */
const BROKEN_OFF: ReadonlySet<string> = new Set<ModelFailureCode>(['connection', 'idle']);

/**
 * What has arrived of an answer. An answer that breaks off is charged for the prompt and for the streamed output, and one
 * that a server ended with an error before the first token for what the server reported, or for nothing.
 */
export class PartialAnswer {
  #bytes = 0;
  #hasTokens = false;
  #reported: Extract<ModelEvent, { type: 'usage' }> | undefined;

  take(event: ModelEvent): void {
    if (event.type === 'usage') this.#reported = event;
    else if ('text' in event) {
      this.#bytes += countBytes(event.text);
      this.#hasTokens ||= event.type === 'call' || event.text !== '';
    }
  }

  /**
   * @param options.worst The reservation by cache class. Its prompt counts if the provider has not reported one.
   * @param options.outcome How it ended.
   * @param options.hidesWork True if the provider does more than it streams, such as hidden reasoning.
   */
  toCharge(options: {
    info: ModelInfo;
    reserved: Reserved;
    worst: Usage;
    hidesWork: boolean;
    outcome: ModelFailureCode | 'cancelled';
  }): Charge {
    const { info, reserved, worst, hidesWork, outcome } = options;
    const isPaid = this.#hasTokens || outcome === 'cancelled' || (hidesWork && BROKEN_OFF.has(outcome));
    if (!isPaid && !this.#reported) return NO_CHARGE;
    const { usage: reported = { ...worst, output: 0 }, isFinal = false, usd: exact } = this.#reported ?? {};
    const streamed = Math.min(worst.output, Math.ceil(this.#bytes / BYTES_PER_TOKEN));
    const usage = isFinal ? reported : { ...reported, output: Math.max(reported.output, streamed) };
    const usd = exact ?? cost(info, usage);
    const isCounted = isFinal && !this.#reported?.isEstimated;
    const charge: Charge = { usage, usd, ...(isCounted ? {} : { estimated: true }) };
    if (isFinal || !hidesWork || !isPaid) return charge;
    const held = {
      tokens: Math.max(0, reserved.tokens - toCountedTokens(usage)),
      usd: usd === null || reserved.usd === null ? null : Math.max(0, reserved.usd - usd),
    };
    return { ...charge, held };
  }
}
