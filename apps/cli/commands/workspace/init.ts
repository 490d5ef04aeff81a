import type { Klaus, Limits } from '@klaus/sdk';
import { formatNumber } from '@klaus/sdk/transcript';
import { EXIT } from '../../program/exit-codes.ts';
import { hasKeyboard, openKeyboard } from '../../prompt/keyboard.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { UsageError } from '../../program/report-error.ts';
import { toLimits, type LimitOptions } from '../../program/run-options.ts';

/** What most people choose, besides what holds and none at all. */
const LARGER = { toolCalls: 200, tokens: 1_000_000 } as const;
const NONE = { toolCalls: 0, tokens: 0 } as const;

/** `klaus init`: asks once which limits a session has, and writes them into the user's own configuration. */
export async function init(options: LimitOptions): Promise<number> {
  await using klaus = await openKlaus();
  const given = toLimits(options);
  if (Object.keys(given).length > 0) return write(klaus, given);
  if (!hasKeyboard()) {
    throw new UsageError(
      'klaus init asks at a terminal, and there is none.',
      'Give the limits as options: klaus init --max-tool-calls 200 --budget-tokens 1000000',
    );
  }
  const { configuration } = klaus;
  const own = { toolCalls: configuration.get('limits.toolCalls'), tokens: configuration.get('limits.tokens') };
  err.write(
    'Limits of a session keep the bill small. At a limit Klaus asks you for more.\n\n' +
      `  1  ${describe(own)} (as now)\n  2  ${describe(LARGER)}\n  3  ${describe(NONE)}\n\n[1 2 3, q changes nothing] `,
  );
  const keyboard = await openKeyboard();
  try {
    for (;;) {
      const key = await keyboard.key();
      const chosen = key === '1' || key === '\r' ? own : key === '2' ? LARGER : key === '3' ? NONE : undefined;
      if (chosen) {
        err.write('\n');
        return write(klaus, chosen);
      }
      if (key === undefined || key === 'ctrl-c' || key === 'q') {
        err.write('\nNothing is changed.\n');
        return key === 'q' ? EXIT.done : EXIT.interrupted;
      }
    }
  } finally {
    keyboard.close();
  }
}

function write(klaus: Klaus, limits: Partial<Limits>): number {
  const path = klaus.writeLimits(limits);
  out.write(`Written to ${path}. klaus config shows every setting.\n`);
  return EXIT.done;
}

function describe({ toolCalls, tokens }: Pick<Limits, 'toolCalls' | 'tokens'>): string {
  if (toolCalls === 0 && tokens === 0) return 'no limits';
  const calls = toolCalls === 0 ? 'any number of tool calls' : formatNumber(toolCalls, 'tool call');
  return `${calls}, ${tokens === 0 ? 'any number of tokens' : formatNumber(tokens, 'token')}`;
}
