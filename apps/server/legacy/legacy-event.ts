/** An event under the name and with the payload of the older protocol. */
export interface LegacyEvent {
  name: string;
  data: Record<string, unknown>;
  /** Nothing more comes of the run, or of the session as long as nobody repairs it. */
  isEnd?: true;
  /** The run that it ends. */
  run?: string;
}

/** Makes an event of one session. */
export type ToNamed = (name: string, data: Record<string, unknown>) => LegacyEvent;
