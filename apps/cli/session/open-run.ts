import type { Session } from '@klaus/sdk';

/** The run of a session that is not over, so that a cancel can name it; undefined where none has begun. */
export async function findOpenRun(session: Session): Promise<string | undefined> {
  let open: string | undefined;
  for await (const event of session.events()) {
    if (event.type === 'run.started') open = event.run;
    if (event.type === 'run.finished') open = undefined;
  }
  return open;
}
