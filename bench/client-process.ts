// A bare client: posts bodies as they were recorded and reads what comes back, and nothing else.
import { readFileSync } from 'node:fs';
import { type CpuReadings, readCpu } from './cpu-readings.ts';

export interface ClientOrder {
  url: string;
  /** All bodies, one behind the other. */
  file: string;
  /** Bytes of each body, for each session. */
  sessions: readonly (readonly number[])[];
}

const { url, file, sessions } = JSON.parse(process.argv[2]!) as ClientOrder;
const bytes = readFileSync(file);
const headers = {
  'content-type': 'application/json',
  accept: 'text/event-stream',
  'anthropic-version': '2023-06-01',
  'x-api-key': 'none',
};
const readings: CpuReadings = [];
let at = 0;
for (const lengths of sessions) {
  const mine: number[] = [];
  for (const length of lengths) {
    mine.push(readCpu());
    const body = bytes.subarray(at, at + length);
    at += length;
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    for await (const _chunk of response.body!);
  }
  readings.push(mine);
}
process.send!(readings);
process.disconnect();
