import { optional } from '@klaus/sdk/optional';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { type LimitOptions, type RunOptions, toGivenSettings, toSettings } from '../../program/run-options.ts';

export interface ServeCommandOptions
  extends LimitOptions, Pick<RunOptions, 'cwd' | 'model' | 'approve' | 'onAsk' | 'sandbox' | 'isolate' | 'set'> {
  host?: string;
  port?: number;
  open?: true;
  json?: true;
}

/** `klaus serve`: the page and the API, until it is stopped. The options of a run are defaults for those begun there. */
export async function serveCommand(options: ServeCommandOptions): Promise<number> {
  const settings = { ...toGivenSettings(options), ...toSettings(options) };
  await using klaus = await openKlaus({ cwd: options.cwd, settings, endProcesses: 'close' });
  const { serve } = await import('@klaus/server');
  await serve({
    klaus,
    open: options.open ?? false,
    json: options.json ?? false,
    ...optional({ host: options.host, port: options.port }),
  });
  return EXIT.done;
}
