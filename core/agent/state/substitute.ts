/** A model that answers while the one of the session cannot. */
export interface Substitute {
  /** Full name. */
  model: string;
  /** Unix milliseconds from which the model of the session is tried again. Absent: it is not. */
  until?: number;
  /** How often the model of the session has failed in a row. */
  failures: number;
}
