import type { Klaus } from '@klaus/sdk';
import { openKlaus, toFolder } from '../../client/open-klaus.ts';
import { confirm, hasKeyboard } from '../../prompt/keyboard.ts';
import { out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { CliError, UsageError } from '../../program/cli-error.ts';
import type { Options } from '../../program/options.ts';

export interface InstallOptions extends Omit<Options, 'sandbox'> {
  /** Whether commands run in the sandbox. Undefined: not said. */
  sandbox?: boolean;
  user?: true;
  project?: true;
  managed?: true;
  dryRun?: true;
  uninstall?: true;
}

export const install: LeafCommand = {
  name: 'install',
  summary: 'add the hooks of the guard to the settings of Claude Code',
  examples: [
    'klaus guard install',
    'klaus guard install --sandbox',
    'klaus guard install --project --dry-run',
    'klaus guard install --uninstall',
  ],
  description:
    'Everything else in the settings stays as it is. Repeated, it changes nothing. At the end it proves itself with a call through the real program, as `klaus guard doctor` does.',
  server: 'none',
  declare: (declared) =>
    declared
      .option('--user', 'for all projects of this user (the default)')
      .option('--project', 'for this project: .claude/settings.json')
      .option('--managed', 'for all users of this machine; needs root, and no project can switch it off')
      .option('--dry-run', 'print the changed settings, and write nothing')
      .option('--uninstall', 'remove the hooks')
      .option('--sandbox', 'run commands of Claude Code in the sandbox (guard.sandbox)')
      .option('--no-sandbox', 'run them without it')
      .option('--cwd <folder>', 'the project'),
  run: runInstall,
};

async function runInstall(options: InstallOptions): Promise<number> {
  const places = (['user', 'project', 'managed'] as const).filter((place) => options[place]);
  if (places.length > 1) throw new UsageError('Choose one of --user, --project and --managed.');
  const { toInstallInput } = await import('./guard-input.ts');
  const { installGuard, recordInstallation } = await import('@klaus/claude-code/hooks');
  const { uninstall = false, dryRun = false } = options;
  const input = await toInstallInput(places[0] ?? 'user', options.cwd);
  // It is open before the files change, so that a running daemon knows soon that the change is an installation.
  await using klaus = await openKlaus();
  const { file, before, after, isDisabled } = installGuard({ ...input, uninstall, dryRun });
  if (dryRun) {
    out.write(after);
    return EXIT.done;
  }
  await recordInstallation(klaus, { ...input, uninstall }, file);
  const isChanged = before !== after;
  if (uninstall) {
    out.write(isChanged ? `The guard is removed from ${file}.\n` : `${file} does not have the guard.\n`);
    return EXIT.done;
  }
  out.write(isChanged ? `The guard is in ${file}.\n` : `The guard was in ${file} already.\n`);
  const isNew = isChanged && !before.includes('/guard/hook');
  await chooseSandbox(klaus, { wanted: options.sandbox, isNew, cwd: options.cwd });
  if (isDisabled) out.write(`\`disableAllHooks\` in ${file} switches all hooks off. Remove it.\n`);
  const { printDiagnosis } = await import('./doctor.ts');
  const { sandbox: _, ...rest } = options;
  return await printDiagnosis(rest);
}

interface SandboxChoice {
  wanted: boolean | undefined;
  /** True for the first installation. */
  isNew: boolean;
  cwd: string | undefined;
}

/** Sets whether commands run in the sandbox: as the user said, or answers when the guard is new. */
async function chooseSandbox(klaus: Klaus, { wanted, isNew, cwd }: SandboxChoice): Promise<void> {
  if (wanted === false || (wanted === undefined && !isNew)) {
    if (wanted === false) await klaus.settings.write({ 'guard.sandbox': false });
    return;
  }
  const obstacle = await findObstacle(cwd);
  if (obstacle !== undefined) {
    if (wanted)
      throw new CliError('sandbox.unavailable', `Commands cannot run in the sandbox: ${obstacle}`, {
        hint: '`klaus doctor` shows what is missing.',
      });
    return;
  }
  const isWanted =
    wanted ??
    (hasKeyboard() &&
      (await confirm('Run the commands of Claude Code in the sandbox, without a network and your other files?', '')));
  if (!isWanted) {
    out.write('Commands run without a sandbox. `klaus guard install --sandbox` changes it.\n');
    return;
  }
  await klaus.settings.write({ 'guard.sandbox': true });
  out.write('Commands run in the sandbox. `klaus guard install --no-sandbox` changes it.\n');
}

/** Why no command can run in the sandbox of this machine; undefined if one can. */
async function findObstacle(cwd = '.'): Promise<string | undefined> {
  const { runForAgent } = await import('@klaus/sdk');
  try {
    const { driver, exitCode, output } = await runForAgent({ command: 'true', workspace: toFolder(cwd) });
    if (driver === 'host') return 'the setting sandbox.driver is host';
    return exitCode === 0 ? undefined : output;
  } catch (error) {
    return (error as Error).message;
  }
}
