import type { Explanation } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { Option } from 'commander';
import { openKlaus } from '../../client/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { err, out } from '../../output/sink.ts';
import { type CommandGroup, IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { approveOption, grantOption } from '../../program/run-options.ts';
import { findFittingSession } from '../fitting-session.ts';
import { SESSION_HELP } from '../sessions/chosen-session.ts';

const show: LeafCommand = {
  name: 'show',
  summary: 'print the grant of a session with its history',
  examples: ['klaus grants show', 'klaus grants show 01J'],
  server: 'local',
  declare: (declared) =>
    declared.addArgument(new IdArgument('[id]', 'sessions', SESSION_HELP)).option('--json', 'one JSON document'),
  async run(id: string | undefined, { json }: Options) {
    await using klaus = await openKlaus();
    const session = await findFittingSession(klaus, id);
    const history = await session.grants();
    const { grant, text } = history.at(-1) ?? { grant: { authorities: [] }, text: 'nothing' };
    const waiting = (await klaus.store.inbox(session.id)).filter(({ type }) => type === 'revoke').length;
    if (json) return out.json({ session: session.id, grant, text, waiting, history });
    const paint = createPaint(out, false);
    const lines = [paint('bold', toPrintable(text))];
    if (waiting > 0)
      lines.push('A revocation waits for the process that holds the session. It applies before the next call.');
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
  },
};

const revoke: LeafCommand = {
  name: 'revoke',
  summary: 'revoke all or parts of a grant at once, also while another process works on the session',
  examples: ['klaus grants revoke 01J exec "net(example.com)"'],
  description:
    'Revokes a grant, or the named parts: as in a grant (quoted), a kind alone such as net or exec, or a bundle. Running tools of the session are stopped; its run continues.',
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('<id>', 'sessions'))
      .argument('[part...]', 'such as exec, "fs(., w)" or "tool(run_command)"')
      .option('--note <text>', 'the reason, for the log')
      .option('--json', 'one JSON document'),
  async run(id: string, parts: readonly string[], { note, json }: Options) {
    await using klaus = await openKlaus();
    const session = await klaus.session(id);
    const revoked = await session.revoke(parts, { by: 'cli', reason: note });
    if (json) out.json({ session: session.id, ...revoked });
    else {
      out.write(`Left: ${toPrintable(revoked.text)}\n`);
      if (!revoked.applied)
        err.write('Another process works on the session. The revocation applies before its next call.\n');
    }
  },
};

const explain: LeafCommand = {
  name: 'explain',
  summary: 'explain which part of a grant allows or denies a tool call: exit 0 allowed, 6 denied or asked',
  examples: [
    "klaus grants explain 'run_command npm test'",
    "klaus grants explain 'write_file src/a.ts' --grant 'fs(., r) · tool(*)'",
    'klaus grants explain \'read_file {"path":"x"}\' --session 01J',
  ],
  description: 'Judges a tool call as the gate does, in the real workspace, and runs nothing.',
  server: 'local',
  declare: (declared) =>
    declared
      .argument('<call...>', 'the call, preferably in single quotes')
      .addOption(new Option('--session <id>', 'use the grant and the mode of this session').conflicts('grant'))
      .addOption(grantOption)
      .addOption(approveOption('the approval mode (default: the configured one)'))
      .option('--cwd <folder>', 'the workspace (default: the current folder)')
      .option('--json', 'one JSON document'),
  async run(words: readonly string[], { session, grant, approve, cwd, json }: Options) {
    await using klaus = await openKlaus({ cwd });
    const found = await klaus.explain(words.join(' '), { session, grant, mode: approve });
    if (json) out.json(found);
    else out.write(`${toPrintable(toLines(found).join('\n'))}\n`);
    return found.decision.verdict === 'allow' ? EXIT.done : EXIT.denied;
  },
};

const WORDS = { allow: 'allowed', ask: 'asked', deny: 'denied' } as const;

function toLines({ decision, title, mode, grant, access, wouldCover }: Explanation): string[] {
  return [
    `${WORDS[decision.verdict]} by ${decision.rule}: ${decision.reason}`,
    `${title}, in mode ${mode}`,
    `grant: ${grant}`,
    ...access.map(({ what, covered, by, nearest }) => {
      if (covered) return `  ${what}: covered by ${by.join(' and ')}`;
      return `  ${what}: not covered${nearest ? `; nearest is ${nearest.authority}, but ${nearest.why}` : ''}`;
    }),
    ...(wouldCover === '' ? [] : [`To cover it, add --grant '${wouldCover}'.`]),
    ...decision.findings
      .filter(({ rule, verdict }) => verdict !== 'allow' && rule !== decision.rule)
      .map(({ rule, verdict, reason }) => `also ${WORDS[verdict]} by ${rule}: ${reason}`),
  ];
}

export const command: CommandGroup = {
  name: 'grants',
  summary: 'show, explain and revoke what a session may do',
  examples: ['klaus grants show 01J', "klaus grants explain 'run_command npm test'"],
  description:
    'A session gets its grant when it is opened (klaus run --grant). The grant is stored in the hash-chained log, and can only shrink.',
  footer: `A grant is a line of parts: fs(path, rwx), net(host, port), exec or exec(first words), tool(name),
secret(name → host), model(id, …), spend($5), turns(50), spawn(depth, count); each may end in "until TIME".
"expires TIME" ends the complete grant. Parts after "delegable:" can be passed to other agents.
Bundles: file-operations, code-execution, web-access, agent-creation, deploy. Nothing else is allowed.
`,
  commands: [show, revoke, explain],
};
