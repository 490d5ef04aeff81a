import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { Options } from '../../program/options.ts';

export interface InstallOptions extends Options {
  user?: true;
  project?: true;
  managed?: true;
  dryRun?: true;
  uninstall?: true;
}

export const install: LeafCommand = {
  name: 'install',
  summary: 'add the hooks of the guard to the settings of Claude Code',
  description:
    'Everything else in the settings stays as it is. Repeated, it changes nothing. At the end it proves itself with a call through the real program, as `klaus guard doctor` does.',
  footer:
    'Examples:\n  klaus guard install\n  klaus guard install --project --dry-run\n  klaus guard install --uninstall',
  server: 'none',
  declare: (declared) =>
    declared
      .option('--user', 'for all projects of this user (the default)')
      .option('--project', 'for this project: .claude/settings.json')
      .option('--managed', 'for all users of this machine; needs root, and no project can switch it off')
      .option('--dry-run', 'print the changed settings, and write nothing')
      .option('--uninstall', 'remove the hooks')
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
  if (isDisabled) out.write(`\`disableAllHooks\` in ${file} switches all hooks off. Remove it.\n`);
  const { printDiagnosis } = await import('./doctor.ts');
  return await printDiagnosis(options);
}
