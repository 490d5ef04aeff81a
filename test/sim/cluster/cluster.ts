/** What the simulated stores report to a cluster. */
export interface Cluster {
  /** Call it after a command became durable. */
  sent(command: string): void;
}
