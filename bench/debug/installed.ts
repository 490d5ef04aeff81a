import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTestHome, type TestHome } from '../../test/fixtures/test-home.ts';
import type { Benchmark } from '../benchmark.ts';
import { interleave } from '../measure.ts';
import { openModelServer, ROOT } from '../program.ts';

const EVAL = { name: 'eval', input: { code: 'order.items[1]' } };
const REPORT = { name: 'report', input: { text: 'The second item has no price.' } };

const INVESTIGATE = `
  import { investigate } from 'klendathu';
  const order = { items: [{ price: 5 }, {}] };
  try {
    order.items[1].price.toFixed();
  } catch (error) {
    const begun = performance.now();
    const run = investigate(error, { context: { order }, dedupe: false });
    for await (const { type } of run.stderr) if (type === 'tool_result') break;
    console.log(performance.now() - begun);
    await run;
  }`;
const IMPORT = `
  const begun = performance.now();
  await import('klendathu');
  console.log(performance.now() - begun);`;

/** The packages as they are published and installed. */
export const installed: Benchmark = {
  name: 'installed',
  async run({ quick }) {
    using place = createTestHome();
    install(place);
    await using model = await openModelServer({
      steps: [{ when: { turn: 0 }, reply: { calls: [EVAL] } }],
      fallback: { calls: [REPORT] },
    });
    const env = {
      ...place.env,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-bench-7d20c1f4a9b35e8806d1c2f3',
      AGENT_MODEL: 'anthropic/claude-sonnet-5-5',
    };
    const run = async (program: string): Promise<number> => {
      const words = ['--input-type=module', '-e', program];
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: place.workspace, env });
      return Number(stdout.trim().split('\n').at(-1));
    };
    // The first run of an installation also compiles the agent.
    const first = await run(INVESTIGATE);
    const taken = await interleave({ load: () => run(IMPORT), call: () => run(INVESTIGATE) }, quick ? 3 : 11);
    return [
      { name: "import 'klendathu', median", value: taken.load, unit: 'ms', most: 10 },
      {
        name: 'from investigate() to the result of the first tool call, median',
        value: taken.call,
        unit: 'ms',
        most: 1_500,
      },
      { name: 'the same, the first time after the installation', value: first, unit: 'ms', most: 1_500 },
    ];
  },
};

/** Both packages in a project, with the dependencies of this repository. */
function install({ workspace }: TestHome): void {
  const modules = join(workspace, 'node_modules');
  execFileSync(process.execPath, [join(ROOT, 'scripts/klendathu/build.ts'), modules]);
  mkdirSync(join(modules, '@modelcontextprotocol'));
  for (const name of ['@modelcontextprotocol/server', 'zod', 'zod-to-json-schema', '@vscode', 'acorn'])
    if (existsSync(join(ROOT, 'node_modules', name)))
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
}
