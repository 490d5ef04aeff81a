import { VERSION } from '@klaus/sdk/version';
import { Command } from 'commander';
import { out } from '../output/sink.ts';
import { addCommand, type CliCommand } from './cli-command.ts';
import { listInHelp, MORE, toHelpList } from './help-list.ts';

type Loader = () => Promise<{ command: CliCommand }>;

/** Loads each command, below the heading of the help that lists it. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Loader>>>> = {
  'Run:': {
    run: () => import('../commands/run/run.ts'),
    chat: () => import('../commands/run/chat.ts'),
    start: () => import('../commands/run/start.ts'),
    wait: () => import('../commands/run/wait.ts'),
    message: () => import('../commands/run/message.ts'),
    interrupt: () => import('../commands/run/interrupt.ts'),
    attach: () => import('../commands/run/attach.ts'),
    resume: () => import('../commands/run/resume.ts'),
    steer: () => import('../commands/run/steer.ts'),
    cancel: () => import('../commands/run/cancel.ts'),
    claude: () => import('../commands/run/claude.ts'),
    wrap: () => import('../commands/run/wrap.ts'),
    fetch: () => import('../commands/workspace/fetch.ts'),
    acp: () => import('../commands/run/acp.ts'),
    ps: () => import('../commands/processes/ps.ts'),
    logs: () => import('../commands/processes/logs.ts'),
    stop: () => import('../commands/processes/stop.ts'),
  },
  'Agents:': {
    agents: () => import('../commands/agents/agents.ts'),
    skills: () => import('../commands/skills/skills.ts'),
  },
  'Sessions:': {
    sessions: () => import('../commands/sessions/sessions.ts'),
    status: () => import('../commands/sessions/status.ts'),
    watch: () => import('../commands/sessions/watch.ts'),
    show: () => import('../commands/sessions/show.ts'),
    verify: () => import('../commands/sessions/verify.ts'),
    export: () => import('../commands/sessions/export.ts'),
    usage: () => import('../commands/sessions/usage.ts'),
    replay: () => import('../commands/sessions/replay.ts'),
    fork: () => import('../commands/sessions/fork.ts'),
    compact: () => import('../commands/sessions/compact.ts'),
    pin: () => import('../commands/sessions/pin.ts'),
    unpin: () => import('../commands/sessions/unpin.ts'),
  },
  'Instances:': {
    instance: () => import('../commands/instances/instance.ts'),
    instances: () => import('../commands/instances/instances.ts'),
    checkout: () => import('../commands/instances/checkout.ts'),
  },
  'Review:': {
    attention: () => import('../commands/approvals/attention.ts'),
    next: () => import('../commands/approvals/next.ts'),
    approvals: () => import('../commands/approvals/approvals.ts'),
    approve: () => import('../commands/approvals/approve.ts'),
    reject: () => import('../commands/approvals/reject.ts'),
    undo: () => import('../commands/workspace/undo.ts'),
    redo: () => import('../commands/workspace/redo.ts'),
    restore: () => import('../commands/workspace/restore.ts'),
    diff: () => import('../commands/workspace/diff.ts'),
  },
  'Working copies:': {
    copies: () => import('../commands/copies/copies.ts'),
    merge: () => import('../commands/copies/merge.ts'),
    keep: () => import('../commands/copies/keep.ts'),
    discard: () => import('../commands/copies/discard.ts'),
    pr: () => import('../commands/copies/pr.ts'),
  },
  'Claude Code:': {
    guard: () => import('../commands/guard/guard.ts'),
    'setup-hooks': () => import('../commands/guard/setup-hooks.ts'),
  },
  'Safety:': {
    gate: () => import('../commands/policy/gate.ts'),
    hooks: () => import('../commands/hooks/hooks.ts'),
    grants: () => import('../commands/policy/grants.ts'),
    audit: () => import('../commands/policy/audit.ts'),
    policy: () => import('../commands/policy/policy.ts'),
    secrets: () => import('../commands/policy/secrets.ts'),
  },
  'Server:': {
    serve: () => import('../commands/system/serve.ts'),
    worker: () => import('../commands/system/worker.ts'),
    admin: () => import('../commands/admin/admin.ts'),
    mcp: () => import('../commands/system/mcp.ts'),
  },
  'Maintenance:': {
    doctor: () => import('../commands/system/doctor.ts'),
    sandbox: () => import('../commands/sandbox/sandbox.ts'),
    init: () => import('../commands/system/init.ts'),
    config: () => import('../commands/config/config.ts'),
    login: () => import('../commands/system/login.ts'),
    logout: () => import('../commands/system/logout.ts'),
    db: () => import('../commands/system/db.ts'),
    demo: () => import('../commands/system/demo.ts'),
    'model-server': () => import('../commands/system/model-server.ts'),
    completion: () => import('../commands/system/completion.ts'),
    memory: () => import('../commands/system/memory.ts'),
  },
};

export const COMMAND_NAMES: readonly string[] = Object.values(GROUPS).flatMap((commands) => Object.keys(commands));

const FIRST_EXAMPLES = `
Examples:
  klaus "fix the failing test"                  work in this folder
  git diff | klaus "review this"                with standard input as context
  klaus chat reviewer                           chat with an agent; klaus alone is the coding agent
  klaus --approve ask "tidy up src/"            ask before every change
  klaus -c "and now the docs"                   continue the latest session of this folder
`;

const ALL_EXAMPLES = `  klaus --json --on-ask wait "…" > events.ndjson
  klaus sessions; klaus show ID; klaus resume ID
  klaus start reviewer "…" --detach; klaus watch  agents in the background
  klaus --server http://host:3001 "…"           use a klaus serve on another machine

Options of a prompt: -m MODEL, -c (continue the latest session of this folder), -C FOLDER, --approve MODE,
--budget-usd AMOUNT and more: klaus run --help.

Exit codes: 0 done, 1 the task failed, 2 usage, 3 configuration or authentication, 4 model failed,
5 budget or turn limit, 6 denied, 7 no sandbox, 8 waiting for approval, 9 timed out or busy, 130 interrupted.
`;

/**
 * The command line of `klaus`, with the commands that a line can mean.
 *
 * @param words The line. Default: every command is declared.
 * @param done Receives the exit code of the command that ran.
 * @param isChat True: a line without words means `chat`, as in a terminal. Default: `run`.
 */
export async function createProgram(
  words?: readonly string[],
  done: (exitCode: number) => void = () => {},
  isChat = false,
): Promise<Command> {
  const list = words === undefined ? 'all' : toHelpList(words).list;
  const program = new Command('klaus')
    .description('An agent that reads, changes and tests the code in a folder, and asks before anything risky.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .usage('[options] "prompt"\n       klaus <command> [options]')
    .showHelpAfterError(false)
    .exitOverride()
    // `execute` prints errors; commander would print them a second time.
    .configureOutput({ writeOut: (text) => out.write(text), outputError: () => {} })
    .addHelpText('after', list === 'all' ? `${FIRST_EXAMPLES}${ALL_EXAMPLES}` : `${FIRST_EXAMPLES}${MORE}`)
    .hook('preAction', async (_, command) => {
      if (command.name() !== 'run' || program.args[0] === 'run' || command.opts()['prompt'] !== undefined) return;
      const { checkPromptWords, hasPipedInput, listAgentNames } = await import('./unknown-command.ts');
      await checkPromptWords(command.args, {
        names: COMMAND_NAMES,
        isFirst: command.args[0] === words?.[0],
        hasInput: hasPipedInput(),
        listAgents: () => listAgentNames(String(command.opts()['cwd'] ?? process.cwd())),
      });
    });
  const isDefault = isChat && words?.length === 0;
  const needed = isDefault ? ['chat'] : toNeeded(words);
  for (const [heading, loaders] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    const loaded = Object.entries(loaders).filter(([name]) => needed.includes(name));
    for (const { command } of await Promise.all(loaded.map(([, load]) => load()))) {
      addCommand(program, isDefault ? { ...command, isDefault } : command, done);
    }
  }
  listInHelp(program, list);
  return program;
}

/** The commands that a line can mean. A line that begins with no command name is a prompt. */
function toNeeded(words: readonly string[] | undefined): readonly string[] {
  const [first = ''] = words ?? [];
  // A completion script lists every command.
  if (COMMAND_NAMES.includes(first) && first !== 'completion') return [first];
  const isAll = words === undefined || first === 'completion' || first === 'help';
  return isAll || words.some((word) => word === '--help' || word === '-h') ? COMMAND_NAMES : ['run'];
}
