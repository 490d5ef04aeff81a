import type { Event, Live } from '@klaus/sdk';

/** Where a run is shown. Every output is a fold over the events; none changes what happens. */
export interface Output {
  event(event: Event): void;
  /** An event from before what is shown, for an output that needs it to name what follows. */
  readonly recall: ((event: Event) => void) | undefined;
  /** Absent where nobody watches, so that nobody listens to what would not be shown. */
  readonly live: ((live: Live) => void) | undefined;
  /** A line for the user that is no event. Not part of what a program reads. */
  note(text: string, level?: 'info' | 'warn'): void;
  /** Whatever is drawn at the bottom goes away, so that a question can be put there. */
  settle(): void;
}
