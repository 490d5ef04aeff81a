import { Option } from 'commander';
import type { Klaus } from '@klaus/sdk';
import type { ServedCluster } from '@klaus/server';
import type { Guard, Heartbeat } from '@klaus/claude-code/hooks';
import { openKlaus, toFolder, toScriptedServer } from '../../client/open-klaus.ts';
import { err } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import {
  addLimitOptions,
  approveOption,
  onAskOption,
  sandboxOption,
  settingOption,
  toSettings,
} from '../../program/run-options.ts';

export const command: LeafCommand = {
  name: 'serve',
  summary: 'serve the page and the API: watch, steer and approve sessions in a browser',
  examples: [
    'klaus serve --open',
    'klaus serve --port 0 --json --approve ask',
    'klaus serve --cluster',
    'AGENT_API_SECRET=… klaus serve --host 0.0.0.0',
  ],
  description:
    'Serves the page and the API until it is stopped. The printed address signs a browser in. The options of a run are defaults for the runs that start there.',
  server: 'none',
  declare: (declared) =>
    addLimitOptions(
      declared
        .option(
          '--host <address>',
          'address to listen on; one that other machines reach needs AGENT_API_SECRET',
          '127.0.0.1',
        )
        .option('--port <number>', '0 means any free port', integer(0, 65_535), 3001)
        .option('--open', 'open the page in the browser')
        .option('--json', 'print one JSON object when it is ready: url, socket, tokenFile, pid')
        .option('--cwd <folder>', 'the folder to work in (default: the current folder)')
        .option('--model <name>', 'provider/id, a tier (opus, sonnet, haiku) or a known id')
        .addOption(approveOption())
        .addOption(onAskOption)
        .addOption(sandboxOption)
        .option('--cluster', 'sessions run on the workers of the cluster that the settings `cluster.*` name')
        .option('--isolate', 'commands work on a layer, and their changes are reviewed before they are applied')
        .addOption(settingOption)
        .addOption(new Option('--daemon', 'started by the command line in the background').hideHelp()),
    ),
  async run(options: Options & { host: string; port: number; open?: true; cluster?: true; daemon?: true }) {
    const { host, port, open = false, json = false, daemon: isDaemon = false } = options;
    await using opened = await openServed(options);
    const { klaus, cluster } = opened;
    const { serve } = await import('@klaus/server');
    await using hooks = new JudgeHooks(klaus);
    await hooks.begin();
    await serve({
      ...{ klaus, cluster, host, port, open, json, isDaemon },
      hooks: (event, project) => hooks.judge(event, project),
      async prepareDemo() {
        const { DEMO_MODEL, DEMO_PROMPT, prepareDemo } = await import('../../demo/prepare-demo.ts');
        return { workspace: await prepareDemo(), model: DEMO_MODEL, prompt: DEMO_PROMPT };
      },
    });
  },
};

/** What is served: the sessions of this machine, or those of a cluster. */
interface Served extends AsyncDisposable {
  klaus: Klaus;
  cluster?: ServedCluster;
}

async function openServed(options: Options & { cluster?: true }): Promise<Served> {
  const settings = toSettings(options);
  if (options.cluster) {
    const { openClusterServer } = await import('@klaus/sdk/cluster');
    const cwd = options.cwd === undefined ? process.cwd() : toFolder(options.cwd);
    const onNotice = (text: string): void => err.write(`klaus: ${text}\n`);
    const opened = await openClusterServer({
      ...{ cwd, settings, endProcesses: 'close', scripted: toScriptedServer, onNotice },
    });
    const { klaus, scheduler } = opened;
    const cluster = { scheduler, waiting: () => klaus.store.wakes.waiting() };
    return { klaus, cluster, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  }
  const klaus = await openKlaus({ cwd: options.cwd, settings, endProcesses: 'close' });
  return { klaus, [Symbol.asyncDispose]: () => klaus.close() };
}

interface Judging {
  guard: Guard;
  heartbeat: Heartbeat;
}

/** The guard of Claude Code. It is loaded with the first event of a hook, or at the start where it is installed. */
class JudgeHooks {
  readonly #klaus: Klaus;
  #loaded: Promise<Judging> | undefined;

  constructor(klaus: Klaus) {
    this.#klaus = klaus;
  }

  /** Reports what happened to installations of the guard while no daemon ran, and what happens to them from now on. */
  async begin(): Promise<void> {
    const { readGuardStates } = await import('@klaus/sdk/guard-log');
    if (readGuardStates(this.#klaus.store.view).length > 0) this.#load().catch(() => {});
  }

  async judge(event: string, project: string | undefined) {
    const { guard, heartbeat } = await this.#load();
    const answer = await guard.handle(event, project);
    heartbeat.noticeCall();
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    (await this.#loaded)?.heartbeat.close();
  }

  #load(): Promise<Judging> {
    return (this.#loaded ??= this.#create());
  }

  async #create(): Promise<Judging> {
    const klaus = this.#klaus;
    const [{ createAgentLog, createGuard, Heartbeat, judgeOnce }, { toGuardOptions }] = await Promise.all([
      import('@klaus/claude-code/hooks'),
      import('../guard/guard-options.ts'),
    ]);
    const guard = judgeOnce(createGuard({ ...toGuardOptions(klaus), onDecision: createAgentLog(process.env) }));
    const heartbeat = new Heartbeat({ klaus, home: klaus.home, env: process.env });
    heartbeat.check().catch(() => {});
    return { guard, heartbeat };
  }
}
