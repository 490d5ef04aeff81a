import type { UsageReport } from '@klaus/sdk';
import { openClient } from '../../client/open-client.ts';
import { out } from '../../output/sink.ts';
import { toUsageText } from '../../output/usage-text.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { toDate } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { choiceOption } from '../../program/run-options.ts';

export const command: LeafCommand = {
  name: 'usage',
  summary: 'report the cost of requests to models, and what is left of the limits of a session',
  examples: ['klaus usage --by model --since 2026-01-01'],
  description:
    'Adds up the cost of requests to models from the log: of all sessions, or of one and the sessions that it started.',
  server: 'both',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id]', 'sessions'))
      .addOption(
        choiceOption('--by <what>', 'what a row is (default: model for one session, else day)', [
          'day',
          'model',
          'session',
          'agent',
          'workspace',
        ]),
      )
      .option('--since <date>', 'only requests that ended since then, such as 2026-01-31 (in UTC)', toDate)
      .option('--json', 'one JSON document'),
  async run(session: string | undefined, options: Options & { by?: UsageReport['by']; since?: number }) {
    const { by, since, json } = options;
    await using client = await openClient(options);
    const report = await client.usage({ session, by, since });
    if (json) out.json(report, 2);
    else out.write(toUsageText(report));
  },
};
