import { KlausError } from '@klaus/core/protocol';

/** Why a session does not run in this store. A session without one runs here. */
export interface SessionMove {
  /**
   * `leaving`: its move to `place` is not complete. `moved`: it runs at `place`. `arriving`: its move from `place` is not
   * complete. `copy`: a copy of the session at `place`.
   */
  state: 'leaving' | 'moved' | 'arriving' | 'copy';
  /** A state folder as `host:path`, or a database as `postgres://host:port/name`. */
  place: string;
}

const SENTENCES: Readonly<Record<SessionMove['state'], (place: string) => string>> = {
  leaving: (place) => `its move to ${place} is not complete`,
  moved: (place) => `it was moved to ${place}`,
  arriving: (place) => `its move from ${place} is not complete`,
  copy: (place) => `it is a copy of the session at ${place}`,
};

/** The error of a claim or a command for a session that runs at another place. */
export function toMovedError(session: string, { state, place }: SessionMove): KlausError {
  const isOpen = state === 'leaving' || state === 'arriving';
  return new KlausError('session.moved', `The session ${session} does not run here: ${SENTENCES[state](place)}.`, {
    hint: isOpen
      ? 'Repeat the `klaus db copy` that was interrupted.'
      : `Continue it there, copy it back with \`klaus db copy\`, or continue from its log with \`klaus fork ${session}\`.`,
  });
}
