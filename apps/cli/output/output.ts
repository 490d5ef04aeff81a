import type { Event, Live } from '@klaus/sdk';

/** Shows a run. An output only reads events. */
export interface Output {
  event(event: Event): void;
  /** An event before those that are shown, for an output that needs it to describe later ones. */
  readonly recall: ((event: Event) => void) | undefined;
  /** Absent if in-flight text is not shown, so that it is not requested. */
  readonly live: ((live: Live) => void) | undefined;
  /** Shows a line for the user that is not an event. Programs do not read it. */
  readonly note: (text: string, level?: 'info' | 'warn') => void;
  /** Removes the status line, so that other text can be printed. */
  settle(): void;
}
