import { optional } from '@klaus/sdk/optional';
import type { UsageReport } from '@klaus/sdk';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { toGivenServer, type ServerOptions } from '../../program/server-option.ts';
import { toUsageText } from '../../listing/usage-text.ts';
import { out } from '../../output/sink.ts';

export interface UsageOptions extends ServerOptions {
  by?: UsageReport['by'];
  /** Unix milliseconds. */
  since?: number;
  json?: true;
}

/** `klaus usage [ID]`: what requests to models cost. */
export async function usage(id: string | undefined, options: UsageOptions): Promise<number> {
  if (toGivenServer(options) !== undefined) return (await import('../../remote/listing.ts')).usageAt(id, options);
  await using klaus = await openKlaus();
  const { by, since } = options;
  const report = await klaus.usage({
    ...optional({ session: id }),
    ...(by ? { by } : {}),
    ...optional({ since }),
  });
  if (options.json === true) out.json(report, 2);
  else out.write(toUsageText(report));
  return EXIT.done;
}
