import { RequestError, type PromptResponse, type StopReason } from '@agentclientprotocol/sdk/unstable';
import type { EventOf } from '@klaus/sdk';

type Finished = EventOf<'run.finished'>;

/** How the last answer and the last request of a run ended. */
export interface RunFacts {
  stopReason?: EventOf<'turn.finished'>['stopReason'];
  attempt?: EventOf<'model.attempted'>['outcome'];
}

/** The response to a prompt whose run ended. @throws RequestError for a run that failed. */
export function toPromptResponse(finished: Finished | undefined, facts: RunFacts): PromptResponse {
  if (!finished) return { stopReason: 'end_turn' };
  const { outcome, reason, error, usage } = finished;
  if (outcome === 'failed' || outcome === 'model_failed') {
    const text = error?.hint ? `${reason} ${error.hint}` : reason;
    const isAuth = error?.code === 'auth' || (outcome === 'model_failed' && facts.attempt === 'auth');
    throw new RequestError(isAuth ? -32_000 : -32_603, text, { code: error?.code ?? outcome, details: text });
  }
  const { input, output, cacheRead, cacheWrite } = usage;
  return {
    stopReason: toStopReason(finished, facts),
    usage: {
      totalTokens: input + output + cacheRead + cacheWrite,
      inputTokens: input,
      outputTokens: output,
      cachedReadTokens: cacheRead,
      cachedWriteTokens: cacheWrite,
    },
  };
}

function toStopReason({ outcome, limit }: Finished, { stopReason }: RunFacts): StopReason {
  if (outcome === 'cancelled') return 'cancelled';
  if (outcome === 'limit') return limit?.limit === 'tokens' ? 'max_tokens' : 'max_turn_requests';
  if (stopReason === 'refusal') return 'refusal';
  if (stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded') return 'max_tokens';
  return 'end_turn';
}

/** What the user should know about the end of a run in addition to its stop reason. */
export function toEndText({ outcome, reason, error }: Finished): string | undefined {
  if (outcome !== 'limit' && outcome !== 'denied') return undefined;
  return error?.hint ? `${reason} ${error.hint}` : reason;
}
