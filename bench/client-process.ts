// A bare client: posts bodies as they were recorded and reads what comes back, and nothing else.
import { readFileSync } from 'node:fs';
import { type CpuReadings, readCpu } from './session-process.ts';

export interface ClientOrder {
  url: string;
  /** All bodies, one behind the other. */
  file: string;
  lengths: readonly number[];
  /** Requests of each part. */
  parts: readonly number[];
}
