import { continueWork, hasEnded, untilChange } from '../client/follow-states.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { readEvents } from '../client/read-events.ts';
import { chooseSessionIds, openStates } from '../client/session-states.ts';
import { createOutput } from '../output/show-output.ts';
import { err, out } from '../output/sink.ts';
import { outputFailure } from '../output/streams.ts';
import type { Options } from '../program/options.ts';

export interface PrintSessionOptions extends Options {
  /** Prints what is new until no work is left. */
  follow?: true;
  /** Prints first on standard error which session it is. */
  isNamed?: true;
  /** How many of the last events are printed first. Default: all. */
  number?: number;
}

/** Prints the events of a session, without a part in its work: as lines for people, as NDJSON, or as runtime events. */
export async function printSession(given: string | undefined, options: PrintSessionOptions): Promise<void> {
  const { follow = false, number = Infinity } = options;
  const output = createOutput(options, { progress: out });
  using states = await openStates();
  const [id = ''] = await chooseSessionIds(states, given === undefined ? [] : [given]);
  const [found] = states!.get([id]);
  if (options.isNamed && found) err.write(`Session ${id}, ${found.state}, in ${toPrintable(found.workspace)}\n`);
  const toLines = options.raw ? (await import('../instance/runtime-log.ts')).createRuntimeLines() : undefined;
  const first = (found?.lastSeq ?? 0) - number;
  let last = 0;
  const printNew = async (): Promise<void> => {
    for await (const event of readEvents(states!, id, last)) {
      last = event.seq;
      const lines = toLines?.(event);
      if (lines) {
        if (event.seq > first) for (const line of lines) out.json(line);
      } else if (event.seq > first) output.event(event);
      else output.recall?.(event);
      // The reader of standard output can go away.
      if (outputFailure() !== undefined || !out.stream.writable) return;
    }
    // Waits for a slow reader.
    await out.flush();
  };
  await printNew();
  for (let version: number | undefined; follow && out.stream.writable && outputFailure() === undefined;) {
    // The state is read first: events from before the end are printed then.
    const state = states!.get([id])[0];
    await printNew();
    if (state === undefined || hasEnded(state)) break;
    await continueWork([state]);
    version = await untilChange(states!, { version });
  }
  if (!toLines) output.settle();
}
