import type { Klaus } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';

const SIGNS = { ok: ['green', '✓', 'Works:'], warn: ['yellow', '!', 'Note:'], fail: ['red', '✗', 'Broken:'] } as const;
const DAY_MS = 86_400_000;

interface DoctorOptions extends Options {
  canary?: boolean;
}

export const doctor: LeafCommand = {
  name: 'doctor',
  summary: 'prove that the guard judges every call of Claude Code',
  examples: ['klaus guard doctor'],
  description:
    'Checks the settings, the hook, the daemon and the sessions of the last day, and makes one harmless call through the real program against a model on this machine.',
  server: 'none',
  declare: (declared) =>
    declared
      .option('--no-canary', 'do not start Claude Code')
      .option('--json', 'one JSON document')
      .option('--plain', 'words instead of symbols')
      .option('--cwd <folder>', 'the project'),
  run: printDiagnosis,
};

/** Returns the exit code: 1 if the guard does not work. */
export async function printDiagnosis({ json, plain, cwd, canary }: DoctorOptions): Promise<number> {
  const [{ diagnoseGuard }, { startModelServer }, { toInstallInput }] = await Promise.all([
    import('@klaus/claude-code/hooks'),
    import('@klaus/sdk'),
    import('./guard-input.ts'),
  ]);
  await using klaus = await openKlaus();
  const facts = await diagnoseGuard({
    ...(await toInstallInput('user', cwd)),
    claude: klaus.configuration.get('claudeBinary') ?? 'claude',
    startServer: (script) => startModelServer({ script: script as never }),
    known: () => listKnown(klaus),
    canary: canary !== false,
  });
  const isBroken = facts.some(({ status }) => status === 'fail');
  if (json) out.json({ ok: !isBroken, facts }, 2);
  else {
    const paint = createPaint(out, plain ?? false);
    for (const { name, status, text, fix } of facts) {
      const [color, sign, word] = SIGNS[status];
      out.write(`${plain ? word : paint(color, sign)} ${name}: ${toLine(text, 2_000)}\n`);
      if (fix !== undefined) out.write(`    ${paint('bold', toLine(fix, 500))}\n`);
    }
    out.write(isBroken ? 'The guard does not judge every call.\n' : 'The guard judges the calls of Claude Code.\n');
  }
  return isBroken ? EXIT.failed : EXIT.done;
}

async function listKnown({ store }: Klaus): Promise<Set<string>> {
  const known = new Set<string>();
  for await (const event of store.hostEvents({ since: Date.now() - DAY_MS }))
    if ('guarded' in event) known.add(event.guarded);
  return known;
}
