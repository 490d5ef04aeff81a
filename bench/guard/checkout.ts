import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { answerFirstStart, fetchClaudeCode, runClaudeCode, toClaudeCodeEnv } from '../../test/fixtures/claude-code.ts';
import { type Emulator, openEmulator } from '../../test/fixtures/emulator.ts';
import { runKlaus } from '../../test/fixtures/klaus.ts';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import { connectScript } from '../../test/roof-socket/socket-script.ts';
import type { Benchmark } from '../benchmark.ts';
import { interleave } from '../measure.ts';
import { buildBundle, openModelServer } from '../program.ts';

/** Milliseconds that a switch may add. */
const MORE_MS = 150;
const ANSWER = 'An answer.';

/** A switch of a terminal between two sessions, beside the end of one program and the start of another. */
export const checkout: Benchmark = {
  name: 'checkout',
  async run({ quick }) {
    let program: string;
    try {
      program = await fetchClaudeCode('2.1.332');
    } catch (error) {
      return [{ name: 'a checkout in Claude Code', skipped: (error as Error).message }];
    }
    using place = createTestHome();
    answerFirstStart(place);
    await using model = await openModelServer({ steps: [], fallback: { text: ANSWER } });
    const bundle = buildBundle();
    const env = { ...toClaudeCodeEnv(place, model.url), KLAUS_CLAUDE_BINARY: program };
    const screen = { env: { ...env, TERM: 'xterm-256color' }, cwd: place.workspace };
    const klaus = async (...words: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runKlaus(words, { place, env, program: bundle[1]! });
      if (code !== 0) throw new Error(stderr);
      return stdout.trim();
    };
    // The program by hand: the hook reports that it is ready.
    const folder = join(place.home, '../ready');
    mkdirSync(folder);
    const hooks = { SessionStart: [{ hooks: [{ type: 'command', command: `touch ${folder}/$$` }] }] };
    const ids = [randomUUID(), randomUUID()];
    for (const id of ids)
      await runClaudeCode(['-p', `--session-id=${id}`, 'begin'], { program, place, url: model.url });
    const resume = async (id: string): Promise<Emulator> => {
      const watcher = watch(folder);
      const ready = once(watcher, 'change').finally(() => watcher.close());
      const opened = await openEmulator([program, `--settings=${JSON.stringify({ hooks })}`, `--resume=${id}`], screen);
      await ready;
      return opened;
    };
    let shown = await resume(ids[0]!);
    await shown.shows(ANSWER);
    let bareTurn = 0;
    // The same in a terminal of Klaus.
    const start = () => klaus('run', 'begin', '--runner', 'claude-code', '--sandbox', 'host', '--json');
    const sessions = [toSession(await start()), toSession(await start())];
    await using terminal = await openEmulator([...bundle, 'claude', '--resume', sessions[0]!], screen);
    await terminal.shows(ANSWER);
    const { socket } = JSON.parse(await klaus('instances', '--json')) as { socket: string };
    using script = connectScript(socket);
    let turn = 0;
    const taken = await interleave(
      {
        async bare() {
          const begun = performance.now();
          process.kill(shown.pid, 'SIGTERM');
          await shown.ended;
          const former = shown;
          shown = await resume(ids[++bareTurn % 2]!);
          const time = performance.now() - begun;
          await former[Symbol.asyncDispose]();
          await shown.shows(ANSWER);
          return time;
        },
        async klaus() {
          const begun = performance.now();
          const { error } = await script.ask('checkout', { sessionId: sessions[++turn % 2]! });
          if (error) throw new Error(error.message);
          const time = performance.now() - begun;
          await terminal.shows(ANSWER);
          return time;
        },
      },
      quick ? 2 : 7,
    );
    await shown[Symbol.asyncDispose]();
    const what = 'the end of one by SIGTERM, and the start of another until its hook';
    const bare = { value: taken.bare, what };
    return [{ name: 'a checkout in Claude Code', value: taken.klaus, unit: 'ms', bare, most: taken.bare + MORE_MS }];
  },
};

function toSession(ndjson: string): string {
  return (JSON.parse(ndjson.split('\n')[0]!) as { session: string }).session;
}
