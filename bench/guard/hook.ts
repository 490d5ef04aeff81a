import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Benchmark } from '../benchmark.ts';
import { interleave } from '../measure.ts';
import type { TestHome } from '../../test/fixtures/test-home.ts';
import { openGuarded } from './guarded-place.ts';

const BARE = `${process.execPath} -e "let t='';process.stdin.on('data',(d)=>t+=d).on('end',()=>{JSON.parse(t);console.log('{}')})"`;

/** One call of the hook, beside a hook that is a Node program. */
export const hook: Benchmark = {
  name: 'hook',
  async run({ quick }) {
    using guarded = openGuarded();
    const { place, command } = guarded;
    const taken = await interleave(
      { guard: () => timeHook(command, place), bare: () => timeHook(BARE, place) },
      quick ? 15 : 101,
    );
    const bare = { value: taken.bare, what: 'a hook in Node that prints {}' };
    return [{ name: 'one call of the hook, median', value: taken.guard, unit: 'ms', bare, most: { times: 0.2 } }];
  },
};

async function timeHook(command: string, place: TestHome): Promise<number> {
  const event = {
    session_id: 'b5b25c2c-0000-4000-8000-000000000000',
    cwd: place.workspace,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'npm test' },
    tool_use_id: 'toolu_1',
  };
  const begun = performance.now();
  const child = spawn('/bin/sh', ['-c', command], {
    env: { ...place.env, CLAUDE_PROJECT_DIR: place.workspace },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.end(JSON.stringify(event));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the hook ended with ${code}`);
  return performance.now() - begun;
}
