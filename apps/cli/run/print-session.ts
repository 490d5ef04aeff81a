import { continueWork, hasEnded, untilChange } from '../client/follow-states.ts';
import { openKlaus } from '../client/open-klaus.ts';
import { openStates } from '../client/session-states.ts';
import { createOutput } from '../output/show-output.ts';
import { out } from '../output/sink.ts';
import { outputFailure } from '../output/streams.ts';
import type { Options } from '../program/options.ts';

export interface PrintSessionOptions extends Options {
  /** Prints what is new until no work is left. */
  follow?: true;
  /** How many of the last events are printed first. Default: all. */
  number?: number;
}

/** Prints the events of a session, without a part in its work: as lines for people, as NDJSON, or as runtime events. */
export async function printSession(idOrPrefix: string, options: PrintSessionOptions): Promise<void> {
  const { follow = false, number = Infinity } = options;
  const output = createOutput(options, { progress: out });
  await using klaus = await openKlaus({ onNotice: output.note });
  const session = await klaus.session(idOrPrefix);
  const toLines = options.raw ? (await import('../instance/runtime-log.ts')).createRuntimeLines() : undefined;
  const first = ((await klaus.store.head(session.id))?.seq ?? 0) - number;
  let last = 0;
  const printNew = async (): Promise<void> => {
    for await (const event of session.events(last)) {
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
  using states = await openStates();
  for (let version: number | undefined; follow && out.stream.writable && outputFailure() === undefined;) {
    // The state is read first: events from before the end are printed then.
    const state = states?.get(session.id);
    await printNew();
    if (state === undefined || hasEnded(state)) break;
    await continueWork([state]);
    version = await untilChange(states!, { version });
  }
  if (!toLines) output.settle();
}
