import { toLine } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';

/** Rules about what stays in a project: an allowance holds until that changes. */
const LASTING: ReadonlySet<string> = new Set(['project', 'instructions', 'definition']);

export const allow: LeafCommand = {
  name: 'allow',
  summary:
    'allow a call of Claude Code that the guard denied because no user would be asked: for an hour, in its session',
  examples: ['klaus guard allow 412'],
  server: 'none',
  declare: (declared) => declared.argument('<id>', 'as in the denial, and in klaus guard log'),
  async run(id: string) {
    await using klaus = await openKlaus();
    const seq = /^\d+$/.test(id) ? Number(id) : 0;
    for await (const event of klaus.store.hostEvents({ type: 'guard.decided', after: seq - 1 })) {
      if (event.type !== 'guard.decided' || event.seq !== seq) break;
      if (event.key === undefined || event.verdict === 'allow') break;
      const { workspace, guarded, key } = event;
      await klaus.recordGuard({ type: 'guard.observed', workspace, guarded, what: 'allowed', text: key });
      const isLasting = LASTING.has(event.rule);
      out.write(
        isLasting
          ? `Allowed until it changes: ${toLine(event.reason, 500)}\n`
          : `Allowed for an hour: ${toLine(event.text, 200)}\n`,
      );
      return;
    }
    throw new UsageError(`The guard has denied no call ${id}.`, 'klaus guard log --denied lists them.');
  },
};
