import { optional } from '@klaus/sdk/optional';
import type { Explanation, Mode } from '@klaus/sdk';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { err, out } from '../../output/sink.ts';

export interface ShowGrantOptions {
  json?: true;
}

export interface RevokeGrantOptions {
  note?: string;
  json?: true;
}

export interface ExplainGrantOptions {
  session?: string;
  grant?: readonly string[];
  approve?: Mode;
  cwd?: string;
  json?: true;
}

/** `klaus grants show ID`: the grant now, and every record of the log that made it so. */
export async function showGrant(id: string, options: ShowGrantOptions): Promise<number> {
  await using klaus = await openKlaus();
  const session = await klaus.session(id);
  const history = await session.grants();
  const now = history.at(-1);
  const waiting = (await klaus.store.inbox(session.id)).filter((command) => command.type === 'revoke').length;
  if (options.json) {
    const { grant, text } = now ?? { grant: { authorities: [] }, text: 'nothing' };
    out.json({ session: session.id, grant, text, waiting, history });
    return EXIT.done;
  }
  const paint = createPaint(out, false);
  const lines = [paint('bold', toPrintable(now?.text ?? 'nothing'))];
  if (waiting > 0)
    lines.push(`A revocation waits for the process that holds the session; it holds before its next call.`);
  for (const record of history) {
    const who = record.by === undefined ? 'opened' : `revoked by ${record.by}: ${record.reason ?? ''}`;
    lines.push(
      '',
      `record ${record.seq}, ${new Date(record.at).toISOString()}, ${toPrintable(who)}`,
      paint('dim', `  sha256 ${record.hash}`),
      `  ${toPrintable(record.text)}`,
    );
  }
  out.write(`${lines.join('\n')}\n`);
  return EXIT.done;
}

/** `klaus grants revoke ID [PART…]`: says what is left. */
export async function revokeGrant(id: string, parts: readonly string[], options: RevokeGrantOptions): Promise<number> {
  await using klaus = await openKlaus();
  const session = await klaus.session(id);
  const revoked = await session.revoke(parts, {
    by: 'cli',
    ...optional({ reason: options.note }),
  });
  if (options.json) {
    out.json({ session: session.id, ...revoked });
    return EXIT.done;
  }
  out.write(`Left: ${toPrintable(revoked.text)}\n`);
  if (!revoked.applied) {
    err.write('Another process works on the session: it is bound by this before its next call.\n');
  }
  return EXIT.done;
}

/** `klaus grants explain CALL`: exit 0 allowed, 6 denied or asked. */
export async function explainGrant(words: readonly string[], options: ExplainGrantOptions): Promise<number> {
  await using klaus = await openKlaus({ cwd: options.cwd });
  const found = await klaus.explain(words.join(' '), {
    ...optional({ session: options.session, grant: options.grant, mode: options.approve }),
  });
  const exit = found.decision.verdict === 'allow' ? EXIT.done : EXIT.denied;
  if (options.json) out.json(found);
  else out.write(`${toPrintable(toLines(found).join('\n'))}\n`);
  return exit;
}

const WORDS = { allow: 'allowed', ask: 'asked', deny: 'denied' } as const;

function toLines({ decision, title, mode, grant, access, wouldCover }: Explanation): string[] {
  const lines = [
    `${WORDS[decision.verdict]} by ${decision.rule}: ${decision.reason}`,
    `${title}, in mode ${mode}`,
    `grant: ${grant}`,
  ];
  for (const { what, covered, by, nearest } of access) {
    if (covered) lines.push(`  ${what}: covered by ${by.join(' and ')}`);
    else lines.push(`  ${what}: not covered${nearest ? `; nearest is ${nearest.authority}, but ${nearest.why}` : ''}`);
  }
  if (wouldCover !== '') lines.push(`To cover it: --grant '${wouldCover}' beside the rest.`);
  for (const { rule, verdict, reason } of decision.findings) {
    if (verdict !== 'allow' && rule !== decision.rule) lines.push(`also ${WORDS[verdict]} by ${rule}: ${reason}`);
  }
  return lines;
}
