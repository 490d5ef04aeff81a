import type { Engine } from '../loop/engine.ts';
import type { ModelFailure } from '../ports/model.ts';

/** Default milliseconds of silence before the first token. */
const FIRST_TOKEN_MS = 5 * 60_000;
/**
 * The same for a server on this machine or in a private network, which may read a long prompt for many minutes. Its
 * connection ends with its process.
 */
const LOCAL_FIRST_TOKEN_MS = 60 * 60_000;

export interface SilenceWatch {
  /** True if a byte has arrived. */
  readonly began: boolean;
  /** The failure, once the server was silent for too long. */
  readonly silence: ModelFailure | undefined;
  /** Comments of the stream and progress count too. */
  takeBytes(): void;
  /** A part of the answer has arrived. */
  takeToken(): void;
  close(): void;
}

/**
 * Watches a request for silence. There are two limits: a server that still reads the prompt is silent for longer than one
 * that writes the answer.
 */
export function createSilenceWatch(
  { clock, settings }: Pick<Engine, 'clock' | 'settings'>,
  { isLocal = false, onSilence }: { isLocal: boolean | undefined; onSilence: () => void },
): SilenceWatch {
  const { idleMs, firstTokenMs = isLocal ? LOCAL_FIRST_TOKEN_MS : FIRST_TOKEN_MS } = settings.retry;
  let last = clock.now();
  let began = false;
  let hasToken = false;
  let silence: ModelFailure | undefined;
  const close = clock.every(Math.max(10, Math.min(1_000, Math.min(idleMs, firstTokenMs) / 4)), () => {
    const limit = hasToken ? idleMs : firstTokenMs;
    if (clock.now() - last < limit) return;
    const [where, setting] = hasToken ? ['in the answer', 'retry.idleMs'] : ['before the answer', 'retry.firstTokenMs'];
    silence ??= { code: 'idle', message: `no byte for ${toSeconds(limit)} s ${where} (setting ${setting})` };
    onSilence();
  });
  return {
    get began() {
      return began;
    },
    get silence() {
      return silence;
    },
    takeBytes() {
      last = clock.now();
      began = true;
    },
    takeToken() {
      hasToken = true;
    },
    close,
  };
}

function toSeconds(ms: number): number {
  return ms < 1_000 ? ms / 1_000 : Math.round(ms / 1_000);
}
