import { readFileSync, writeFileSync } from 'node:fs';
import { fetchClaudeCode, runClaudeCode } from '../../test/fixtures/claude-code.ts';
import type { Benchmark } from '../benchmark.ts';
import { interleave } from '../measure.ts';
import { openModelServer } from '../program.ts';
import { openGuarded } from './guarded-place.ts';

const CALLS = 30;
const EMPTY = "cat >/dev/null; echo '{}'";

/** Calls of tools in the real program with the guard, beside hooks that do nothing. */
export const calls: Benchmark = {
  name: 'calls',
  async run({ quick }) {
    let program: string;
    try {
      program = await fetchClaudeCode('2.1.332');
    } catch (error) {
      return [{ name: `${CALLS} calls in Claude Code`, skipped: (error as Error).message }];
    }
    using guarded = openGuarded();
    const { place, settings } = guarded;
    await using model = await openModelServer({
      steps: Array.from({ length: CALLS }, (_, turn) => ({
        when: { turn },
        reply: { calls: [{ name: 'Bash', input: { command: `echo ${turn}`, description: 'A step' } }] },
      })),
      fallback: { text: 'It is over.' },
    });
    const withGuard = readFileSync(settings, 'utf8');
    const time = async (text: string): Promise<number> => {
      writeFileSync(settings, text);
      const begun = performance.now();
      const { code, stderr } = await runClaudeCode(['--dangerously-skip-permissions', '-p', 'Go.'], {
        program,
        place,
        url: model.url,
      });
      if (code !== 0) throw new Error(stderr);
      return performance.now() - begun;
    };
    const taken = await interleave(
      { guard: () => time(withGuard), bare: () => time(toEmpty(withGuard)) },
      quick ? 2 : 7,
    );
    const bare = { value: taken.bare, what: 'the same with hooks that print {}' };
    return [{ name: `${CALLS} calls in Claude Code`, value: taken.guard, unit: 'ms', bare, most: { times: 1.3 } }];
  },
};

/** The same hooks with a command that does nothing. */
function toEmpty(settings: string): string {
  return JSON.stringify(JSON.parse(settings), (key, value: unknown) => (key === 'command' ? EMPTY : value));
}
