import { type Command, InvalidArgumentError } from 'commander';
import type { ShowAuditOptions, VerifyOptions } from '../commands/policy/audit.ts';

/** `klaus audit …` and `klaus policy …`. */
export function addAudit(program: Command, done: (exitCode: number) => void): void {
  const audit = program.command('audit').summary('check and show what was recorded');
  audit
    .command('verify')
    .summary('check the hash chains: of one session or of all, and of this machine')
    .description('Names the first record that was altered, dropped or moved. Exit code 1 when there is one.')
    .argument('[id]', 'session id or its beginning')
    .option(
      '--head <seq:hash>',
      'a head of the host chain that was noted before: proves that nothing up to it was rewritten',
      toHead,
    )
    .option('--json', 'one JSON document')
    .action(async (id: string | undefined, options: VerifyOptions) =>
      done(await (await import('../commands/policy/audit.ts')).verify(id, options)),
    );
  audit
    .command('show')
    .summary('list what the gate decided')
    .argument('[id]', 'session id or its beginning')
    .option('--denied', 'only what was denied or asked about; with --host the questions that nobody said yes to')
    .option('--host', 'the host chain instead: deletions, exports, answers, changes of the configuration')
    .option('--since <time>', 'only from then on: 2h, 7d, or a date', toSince)
    .option('--json', 'one object a line')
    .addHelpText('after', '\nExamples:\n  klaus audit show --denied --since 7d\n  klaus audit show --host')
    .action(async (id: string | undefined, options: ShowAuditOptions) =>
      done(await (await import('../commands/policy/audit.ts')).showAudit(id, options)),
    );
  const policy = program.command('policy').summary('look after the policy files');
  policy
    .command('check')
    .summary('print the rules in force here, or what is wrong with them')
    .option('--cwd <folder>', 'the workspace that they are for')
    .option('--json', 'one JSON document')
    .action(async (options: { json?: true; cwd?: string }) =>
      done(await (await import('../commands/policy/policy.ts')).checkPolicy(options)),
    );
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Unix milliseconds. */
function toSince(text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(text.trim()) ?? [];
  const at = count === undefined ? Date.parse(text) : Date.now() - Number(count) * UNITS[unit!]!;
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be a time such as 30m, 2h, 7d, 4w or 2026-01-31.');
  return at;
}

function toHead(text: string): { seq: number; hash: string } {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (seq === undefined || hash === undefined || Number(seq) < 1) {
    throw new InvalidArgumentError(
      'It must be a number, a colon and 64 hexadecimal digits, as klaus audit verify prints it.',
    );
  }
  return { seq: Number(seq), hash };
}
