import type { EventBody, EventOf } from '../../protocol/index.ts';

/** What happens after a turn whose request failed finally. */
export interface PlannedFallback {
  /** Absent: the failure ends the run. */
  fallback?: EventOf<'model.attempted'>['fallback'];
  /** One for each model that cannot be used. */
  notices: EventBody[];
}
