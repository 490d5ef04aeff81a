import { buffer } from 'node:stream/consumers';
import { openKlaus } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { Option } from 'commander';
import type { LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';

/** Milliseconds: less than the time-out of the hook. */
const DEADLINE_MS = 50_000;
/** Exit code with which Claude Code denies a call. */
const DENY = 2;

export const hook: LeafCommand = {
  name: 'hook',
  summary: 'answer an event of Claude Code from standard input',
  examples: ['klaus guard hook < event.json        Claude Code starts it'],
  description:
    'The installed hook calls it when the daemon does not answer: it starts the daemon and asks it. Exit code 2 denies the call.',
  server: 'none',
  declare: (declared) => declared.addOption(new Option('--write', 'write the hook program, for the plugin').hideHelp()),
  async run({ write }: Options & { write?: true }) {
    if (write) return await writeHook();
    const late = setTimeout(() => {
      err.write('klaus guard: the daemon did not answer in time\n');
      process.exit(DENY);
    }, DEADLINE_MS);
    try {
      const [{ ensureDaemon }, { askHook }, { leaveOutProjectVariables }, event] = await Promise.all([
        import('../../daemon/ensure-daemon.ts'),
        import('./ask-hook.ts'),
        import('@klaus/claude-code/hooks'),
        buffer(process.stdin),
      ]);
      leaveOutProjectVariables(process.env, process.env['CLAUDE_PROJECT_DIR']);
      const { socket } = await ensureDaemon();
      out.json(await askHook(socket, event, process.env['CLAUDE_PROJECT_DIR']));
      return 0;
    } catch (error) {
      err.write(`klaus guard: ${(error as Error).message}\n`);
      return DENY;
    } finally {
      clearTimeout(late);
    }
  },
};

/** The hook program of an installation stays as it was installed. */
async function writeHook(): Promise<number> {
  const [{ toHookPath, writeHookProgram }, { toInstallInput }, { readGuardStates }, { existsSync }] = await Promise.all(
    [import('@klaus/claude-code/hooks'), import('./guard-input.ts'), import('@klaus/sdk/guard-log'), import('node:fs')],
  );
  const input = await toInstallInput('user');
  await using klaus = await openKlaus();
  const isInstalled = readGuardStates(klaus.store.view).some(({ place }) => place !== undefined);
  if (!isInstalled || !existsSync(toHookPath(input.home))) writeHookProgram(input);
  return 0;
}
