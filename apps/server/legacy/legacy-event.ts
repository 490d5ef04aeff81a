/** An event under the name and with the payload of the older protocol. */
export interface LegacyEvent {
  name: string;
  data: Record<string, unknown>;
  /** The last event of the run, or of the session until its problem is fixed. */
  isEnd?: true;
  run?: string;
}

export type CreateLegacyEvent = (name: string, data: Record<string, unknown>) => LegacyEvent;
