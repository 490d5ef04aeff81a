import type { AnswerOptions } from '../prompt/hunk-answer.ts';
import type { VerifyCommandOptions } from '../commands/policy/verify.ts';
import type { DoctorOptions } from '../commands/system/doctor.ts';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from './report-error.ts';
import {
  addLimitOptions,
  addRunOptions,
  addShowOptions,
  type LimitOptions,
  onAskOption,
  RAW_OPTION,
  type RunOptions,
  sandboxOption,
  waitForModelOption,
} from './run-options.ts';
import { addAudit } from './program-audit.ts';
import { addGrants } from './program-grants.ts';
import { addServe } from './program-serve.ts';
import { addSecrets } from './program-secrets.ts';
import { addPins } from './program-pins.ts';
import { addMemory } from './program-memory.ts';
import { addProcesses } from './program-processes.ts';
import { addReplay } from './program-replay.ts';
import { addFetch } from './program-fetch.ts';
import { addGate, addUndo } from './program-undo.ts';
import { addUsage } from './program-usage.ts';
import { addServerOptions, type ServerOptions, sayWhereItActs } from './server-option.ts';
import { VERSION } from '@klaus/sdk/version';
import { out } from '../output/sink.ts';

const EXAMPLES = `
Examples:
  klaus "fix the failing test"                  work in this folder
  git diff | klaus "review this"                with standard input as context
  klaus --approve ask "tidy up src/"            ask before every change
  klaus -c "and now the docs"                    go on with the latest session here
  klaus --json --on-ask wait "…" > events.ndjson
  klaus sessions; klaus show ID; klaus resume ID
  klaus --server http://host:3001 "…"            at a klaus serve elsewhere

Options of a prompt: -m MODEL, -c (go on with the latest session here), -C FOLDER, --approve MODE,
--budget-usd AMOUNT and more: klaus run --help.

Exit codes: 0 done, 1 the task failed, 2 usage, 3 configuration or authentication, 4 model failed,
5 budget or turn limit, 6 denied, 7 no sandbox, 8 waiting for approval, 9 timed out or busy, 130 interrupted.
`;

/**
 * The command line of `klaus`. What a command does is loaded only when it is called.
 *
 * @param done Receives the exit code of the command that ran.
 * @param first The first word of the line, where there is one: declaring every command takes longer than most of
 *   them take to begin, so only those are declared that it can mean.
 */
export function createProgram(done: (exitCode: number) => void = () => {}, first?: string): Command {
  const program = new Command('klaus')
    .description('An agent that reads, changes and tests the code in a folder; every action passes one gate.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .usage('[options] "prompt"\n       klaus <command> [options]')
    .showHelpAfterError(false)
    .exitOverride()
    // execute.ts prints errors; commander would print them a second time.
    .configureOutput({ writeOut: (text) => out.write(text), outputError: () => {} })
    .addHelpText('after', EXAMPLES)
    .hook('preAction', (_, command) => sayWhereItActs(command));
  for (const { heading, add } of toGroups(first)) {
    program.commandsGroup(heading);
    for (const each of add) each(program, done, first);
  }
  return program;
}

type Done = (exitCode: number) => void;
type AddGroup = (program: Command, done: Done, first?: string) => void;

/** Every command, under the heading that help shows it below. */
const GROUPS: readonly { heading: string; add: readonly AddGroup[] }[] = [
  { heading: 'Run:', add: [addRun, addFetch, addProcesses] },
  { heading: 'Sessions:', add: [addSessions, addUsage, addReplay, addPins] },
  { heading: 'Review:', add: [addApprovals, addUndo] },
  { heading: 'Safety:', add: [addGate, addGrants, addAudit, addSecrets] },
  { heading: 'Server:', add: [addServe] },
  { heading: 'Maintenance:', add: [addMachine, addMemory] },
];

/** What the group of a prompt declares. */
const RUN_COMMANDS: ReadonlySet<string> = new Set(['run', 'resume', 'steer', 'cancel']);

/** No command has a space in its name: such a word is a prompt. */
function toGroups(first: string | undefined): typeof GROUPS {
  const isRun = first !== undefined && (RUN_COMMANDS.has(first) || first.includes(' '));
  return isRun ? [{ heading: 'Run:', add: [addRun] }] : GROUPS;
}

function addRun(program: Command, done: Done, first?: string): void {
  const run = program
    .command('run', { isDefault: true })
    .summary('work on a prompt (the default command)')
    .description('Works on a prompt: klaus run "…", or just klaus "…".')
    .argument('[prompt...]', 'what to do; - reads it from standard input')
    .addHelpText('after', '\nPiped input is added as context, as a file named stdin; alone it is the prompt.');
  addRunOptions(run).action(async (words: string[], options: RunOptions) => {
    if (options.prompt !== undefined) words.unshift(options.prompt);
    else if (program.args[0] !== 'run') {
      const names = program.commands.map((command) => command.name());
      (await import('./command-word.ts')).checkCommandWord(words, { names, isFirst: words[0] === first });
    }
    if (words.length === 0 && options.session === undefined && process.stdin.isTTY) {
      throw new UsageError(
        'There is no prompt.',
        'Write it in quotes: klaus "fix the failing test". klaus --help shows the commands.',
      );
    }
    done(await (await import('../commands/sessions/run.ts')).run(words, options));
  });
  const resume = program
    .command('resume')
    .summary('go on after a crash, a limit, a failure or a cancel')
    .description('Goes on with a session whose run stopped short. --budget-… and --max-… set new limits.')
    .argument('<id>', 'session id or its beginning')
    .addOption(onAskOption())
    .addOption(waitForModelOption());
  addServerOptions(addShowOptions(addLimitOptions(resume))).action(async (id: string, options: RunOptions) => {
    done(await (await import('../commands/sessions/resume.ts')).resume(id, options));
  });
  const steer = program
    .command('steer')
    .summary('speak into a run: it sees the message at its next model call')
    .argument('<id>', 'session id or its beginning')
    .argument('<text...>', 'the message; - reads it from standard input')
    .addOption(onAskOption());
  addServerOptions(addShowOptions(steer)).action(async (id: string, words: string[], options: RunOptions) => {
    done(await (await import('../commands/sessions/steer.ts')).steer(id, words, options));
  });
  const cancel = program
    .command('cancel')
    .summary('stop the run of a session, whichever process it is in')
    .argument('<id>', 'session id or its beginning');
  addServerOptions(cancel).action(async (id: string, options: ServerOptions) =>
    done(await (await import('../commands/sessions/cancel.ts')).cancel(id, options)),
  );
}

function addSessions(program: Command, done: Done): void {
  const sessions = program
    .command('sessions')
    .summary('list sessions, the newest first')
    .argument('[search]', 'text in title, summary, folder or messages')
    .option('--json', 'one object a line')
    .option('--limit <count>', 'how many', toPositive, 50)
    .option('--here', 'only those of this folder');
  addServerOptions(sessions).action(
    async (search: string | undefined, options: ServerOptions & { json?: true; limit: number; here?: true }) => {
      done(await (await import('../commands/sessions/sessions.ts')).sessions(search, options));
    },
  );
  const show = program
    .command('show')
    .summary('print the transcript of a session')
    .argument('<id>', 'session id or its beginning')
    .option('--json', 'the events as NDJSON; with --grep one object a place')
    .option('--plain', 'no colours')
    .option('--raw', RAW_OPTION)
    .option('--grep <words>', 'only the places where these words stand, whole outputs included');
  addServerOptions(show).action(
    async (id: string, options: ServerOptions & { json?: true; plain?: true; raw?: true; grep?: string }) => {
      if (options.grep === undefined) done(await (await import('../commands/sessions/show.ts')).show(id, options));
      else done(await (await import('../commands/sessions/grep.ts')).grep(id, options.grep, options));
    },
  );
  program
    .command('verify')
    .summary('run the recorded checks of a session again: exit 0 only when all of them pass')
    .description(
      'Runs the checks of the last run that had any again: the same calls, through the gate, in the sandbox, on the workspace as it is now. What comes out is written into the log.',
    )
    .argument('[id]', 'session id or its beginning (default: the latest session of this folder)')
    .option('--yes', 'also run what the gate would ask about; what it denies stays denied')
    .option('--plain', 'no colours')
    .option('--json', 'the event evidence.verified, on one line')
    .addHelpText(
      'after',
      '\nExit codes: 0 all passed, 1 a check failed or proves nothing, 6 the gate let one not run, 9 busy.',
    )
    .action(async (id: string | undefined, options: VerifyCommandOptions) => {
      done(await (await import('../commands/policy/verify.ts')).verify(id, options));
    });
  const exported = program
    .command('export')
    .summary('print a whole session as one document, or write it as a test')
    .argument('<id>', 'session id or its beginning')
    .addOption(new Option('--format <format>', 'Markdown or JSON').choices(['md', 'json']).default('md'))
    .addOption(
      new Option('--as <what>', 'test: a script for the scripted model server and a test that runs it').choices([
        'test',
      ]),
    )
    .option('--raw', RAW_OPTION)
    .option('--out <folder>', 'where the test is written; it must not exist (default: klaus-test-ID)')
    .addHelpText(
      'after',
      '\nExamples:\n  klaus export 01J --format md > session.md\n  klaus export 01J --as test --out test/session',
    );
  addServerOptions(exported).action(
    async (id: string, options: ServerOptions & { format: 'md' | 'json'; raw?: true; as?: 'test'; out?: string }) => {
      if (options.as === 'test') {
        done(await (await import('../commands/sessions/export-test.ts')).exportTest(id, options));
        return;
      }
      if (options.out !== undefined)
        throw new UsageError('--out belongs to --as test.', 'A document goes to standard output.');
      done(await (await import('../commands/sessions/export.ts')).exportSession(id, options));
    },
  );
}

/** Options of a yes: which hunks, and for how long. */
function addAnswerOptions(command: Command): void {
  command
    .option('--hunks <ids>', 'only these hunks, separated by commas; klaus approvals shows their ids', toList)
    .option('--reject-hunks <ids>', 'all hunks but these', toList)
    .option('--edit <id=file>', 'take a hunk with the lines of this file in place of its own; may be repeated', toPair)
    .addOption(
      new Option('--scope <scope>', 'how long the yes holds, for this agent alone').choices([
        'once',
        'session',
        'project',
      ]),
    );
}

function toList(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

function toPair(text: string, before: readonly string[] = []): string[] {
  if (!/^[^=]+=./.test(text)) throw new InvalidArgumentError('It must be id=file.');
  return [...before, text];
}

function addApprovals(program: Command, done: Done): void {
  const approvals = program
    .command('approvals')
    .summary('list open questions of all sessions')
    .option('--json', 'one object a line')
    .option('--remembered', 'list approvals that hold for longer than their session')
    .option('--forget <id>', 'forget one of those');
  addServerOptions(approvals).action(
    async (options: ServerOptions & { json?: true; remembered?: true; forget?: string }) =>
      done(await (await import('../commands/sessions/approvals.ts')).approvals(options)),
  );
  for (const [name, reply, what] of [
    ['approve', 'approved', 'say yes to a question, and go on with its session'],
    ['reject', 'rejected', 'say no to a question, and go on with its session'],
  ] as const) {
    const command = program
      .command(name)
      .summary(what)
      .argument('<id>', 'approval id or its beginning')
      .option('--note <text>', 'a reason that the model is told');
    if (name === 'approve') addAnswerOptions(command);
    addServerOptions(addShowOptions(command)).action(async (id: string, options: AnswerOptions) => {
      done(await (await import('../commands/sessions/answer.ts')).answer(id, reply, options));
    });
  }
}

function addMachine(program: Command, done: Done): void {
  program
    .command('doctor')
    .summary('say what works here, and how to mend what does not')
    .option('--json', 'one JSON document')
    .option('--plain', 'words instead of symbols')
    .option('--install', 'install what is missing by the package manager of this system')
    .action(async (options: DoctorOptions) =>
      done(await (await import('../commands/system/doctor.ts')).doctor(options)),
    );
  addLimitOptions(program.command('init').summary('ask which limits a session has, and write them down'))
    .addHelpText('after', '\nExample:\n  klaus init --max-tool-calls 200 --budget-tokens 1000000')
    .action(async (options: LimitOptions) => done(await (await import('../commands/workspace/init.ts')).init(options)));
  program
    .command('config')
    .summary('print every setting with its source')
    .option('--json', 'one JSON document')
    .option('--cwd <folder>', 'the folder whose project file counts')
    .action(async (options: { json?: true; cwd?: string }) =>
      done(await (await import('../commands/system/config.ts')).config(options)),
    );
  addDatabase(program.command('db').summary('look after the database'), done);
  program
    .command('demo')
    .summary('watch the whole loop mend a small project, with a scripted model')
    .option('--live', 'use the configured model instead of the scripted one')
    .option('--keep', 'keep the demo folder')
    .option('--plain', 'words instead of symbols')
    .addOption(sandboxOption())
    .action(async (options: DemoCommandOptions) =>
      done(await (await import('../commands/system/demo.ts')).demo(options)),
    );
  program
    .command('model-server')
    .summary('play a script as a model, to test agents with')
    .requiredOption('--script <file>', 'the script, YAML or JSON')
    .option('--port <number>', '0 takes a free one', toPort, 0)
    .option('--record <file>', 'append every request to this file as NDJSON')
    .action(async (options: { script: string; port: number; record?: string }) => {
      done(await (await import('../commands/system/model-server.ts')).modelServer(options));
    });
  program
    .command('completion')
    .summary('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', '\nExamples:\n  source <(klaus completion bash)\n  klaus completion fish | source')
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { toCompletion } = await import('./completion.ts');
      out.write(toCompletion(program, shell));
      done(0);
    });
}

interface DemoCommandOptions {
  live?: true;
  keep?: true;
  plain?: true;
  sandbox?: NonNullable<RunOptions['sandbox']>;
}

function addDatabase(db: Command, done: Done): void {
  db.command('stats')
    .summary('count what the database holds')
    .option('--json', 'one JSON document')
    .action(async (options: { json?: true }) => done(await (await import('../commands/system/db.ts')).stats(options)));
  db.command('query')
    .summary('run one SQL statement that reads')
    .argument('<sql>', 'the statement, such as "SELECT id, title FROM sessions"')
    .option('--json', 'one object a line')
    .option('--limit <count>', 'rows at most', toRows, 1_000)
    .addHelpText('after', '\nThe tables: docs/database.md')
    .action(async (sql: string, options: { json?: true; limit: number }) =>
      done(await (await import('../commands/system/db-query.ts')).query(sql, options)),
    );
  db.command('clear-sessions')
    .summary('delete sessions with everything that is only theirs')
    .option('--older-than <days>', 'only those without an event since then', toDays)
    .option('--yes', 'do not ask')
    .action(async (options: { olderThan?: number; yes?: true }) => {
      done(await (await import('../commands/system/db.ts')).clearSessions(options));
    });
  db.command('verify')
    .summary('the same as klaus audit verify')
    .argument('[id]', 'session id or its beginning')
    .action(async (id: string | undefined) => done(await (await import('../commands/policy/audit.ts')).verify(id)));
  db.command('gc')
    .summary('say what undo does not need any more and, with --yes, free it')
    .option('--yes', 'free it')
    .option('--json', 'one JSON document')
    .action(async (options: { yes?: true; json?: true }) => {
      done(await (await import('../commands/system/db.ts')).collectGarbage(options));
    });
  db.command('recover')
    .summary('save what can be read from a damaged database; the damaged files are kept')
    .action(async () => done(await (await import('../commands/system/db.ts')).recover()));
}

function toWhole(text: string, range: { min: number; max: number }): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < range.min || value > range.max) {
    throw new InvalidArgumentError(`It must be a whole number from ${range.min} to ${range.max}.`);
  }
  return value;
}

function toPositive(text: string): number {
  return toWhole(text, { min: 1, max: 100_000 });
}

function toRows(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

function toPort(text: string): number {
  return toWhole(text, { min: 0, max: 65_535 });
}

function toDays(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('It must be a number of days from 0.');
  return value;
}
