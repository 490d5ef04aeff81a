import { buffer } from 'node:stream/consumers';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';

/** Milliseconds: less than the time-out of the hook. */
const DEADLINE_MS = 50_000;
/** Exit code with which Claude Code denies a call. */
const DENY = 2;

export const hook: LeafCommand = {
  name: 'hook',
  summary: 'answer an event of Claude Code from standard input',
  description:
    'The installed hook calls it when the daemon does not answer: it starts the daemon and asks it. Exit code 2 denies the call.',
  server: 'none',
  async run() {
    const late = setTimeout(() => {
      err.write('klaus guard: the daemon did not answer in time\n');
      process.exit(DENY);
    }, DEADLINE_MS);
    try {
      const [{ ensureDaemon }, { askHook }, event] = await Promise.all([
        import('../../daemon/ensure-daemon.ts'),
        import('./ask-hook.ts'),
        buffer(process.stdin),
      ]);
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
