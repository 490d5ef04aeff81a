import { NO_USAGE, toCountedTokens, type Reserved, type Usage } from '../../protocol/index.ts';
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
}

/** For a request that broke off before the first byte of its answer. */
export const NO_CHARGE: Charge = { usage: NO_USAGE, usd: 0 };

/** What has arrived of an answer. An answer that breaks off is charged for the prompt and for the streamed output. */
export class PartialAnswer {
  #bytes = 0;
  #reported: Extract<ModelEvent, { type: 'usage' }> | undefined;

  take(event: ModelEvent): void {
    if (event.type === 'usage') this.#reported = event;
    else if ('text' in event) this.#bytes += countBytes(event.text);
  }

  /**
   * @param options.worst The reservation by cache class. Its prompt counts if the provider has not reported one.
   * @param options.hidesWork True if the provider does more than it streams, such as hidden reasoning.
   */
  toCharge(options: { info: ModelInfo; reserved: Reserved; worst: Usage; hidesWork: boolean }): Charge {
    const { info, reserved, worst, hidesWork } = options;
    const { usage: reported = { ...worst, output: 0 }, isFinal = false, usd: exact } = this.#reported ?? {};
    const streamed = Math.min(worst.output, Math.ceil(this.#bytes / BYTES_PER_TOKEN));
    const usage = isFinal ? reported : { ...reported, output: Math.max(reported.output, streamed) };
    const usd = exact ?? cost(info, usage);
    if (isFinal || !hidesWork) return { usage, usd };
    const held = {
      tokens: Math.max(0, reserved.tokens - toCountedTokens(usage)),
      usd: usd === null || reserved.usd === null ? null : Math.max(0, reserved.usd - usd),
    };
    return { usage, usd, held };
  }
}
