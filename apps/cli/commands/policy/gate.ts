import { optional } from '@klaus/sdk/optional';
import type { Mode } from '@klaus/sdk';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { out } from '../../output/sink.ts';

export interface GateTestOptions {
  json?: true;
  approve?: Mode;
  grant?: readonly string[];
  cwd?: string;
}

/** `klaus gate test COMMAND`: what the gate would say to a shell command, without running it. Exit 0 allowed, 6 not. */
export async function gateTest(words: readonly string[], options: GateTestOptions): Promise<number> {
  await using klaus = await openKlaus(options.cwd === undefined ? {} : { cwd: options.cwd });
  const judged = await klaus.judge(words.join(' '), {
    ...optional({ mode: options.approve, grant: options.grant }),
  });
  const exit = judged.verdict === 'allow' ? EXIT.done : EXIT.denied;
  if (options.json) {
    out.json(judged);
    return exit;
  }
  const paint = createPaint(out, false);
  const word = { allow: 'allowed', ask: 'asked', deny: 'denied' }[judged.verdict];
  const color = { allow: 'green', ask: 'yellow', deny: 'red' } as const;
  const lines = [
    `${paint(color[judged.verdict], word)} by ${judged.rule}: ${toPrintable(judged.reason)}`,
    `mode ${judged.mode}, grant ${toPrintable(judged.grant)}`,
    'understood as:',
    ...toPrintable(judged.understood)
      .split('\n')
      .map((line) => `  ${line}`),
  ];
  for (const { rule, verdict, reason } of judged.findings) {
    if (rule !== judged.rule || verdict !== judged.verdict)
      lines.push(paint('dim', `${rule}: ${verdict}, ${toPrintable(reason)}`));
  }
  out.write(`${lines.join('\n')}\n`);
  return exit;
}
