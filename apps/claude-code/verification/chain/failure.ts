import { isKlausError } from '@klaus/sdk';
import type { Check, Finding, Stage } from './result.ts';

export interface FailureOptions {
  /** What to do, as one imperative sentence. */
  hint?: string;
  checks?: readonly Check[];
  findings?: readonly Finding[];
}

/** A stage of the chain that did not succeed. It ends the chain. */
export class StageFailure extends Error {
  readonly stage: Stage;
  readonly code: string;
  readonly options: FailureOptions;

  constructor({ stage, code }: { stage: Stage; code: string }, message: string, options: FailureOptions = {}) {
    super(message);
    this.name = 'StageFailure';
    this.stage = stage;
    this.code = code;
    this.options = options;
  }
}

/** Any error as the failure of a stage. */
export function toStageFailure(stage: Stage, error: unknown): StageFailure {
  if (error instanceof StageFailure) return error;
  if (isKlausError(error)) return new StageFailure({ stage, code: error.code }, error.message, { hint: error.hint });
  throw error;
}
