import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { toHostEnvironment } from '@klaus/adapters/system';
import type { Configuration } from '../config/configuration.ts';
import { toHome } from '../config/home.ts';
import type { KlausOptions } from '../klaus-options.ts';
import { checkModel } from './check-model.ts';
import { checkRemote } from './check-remote.ts';
import { checkSandboxes } from './check-sandboxes.ts';
import { checkServer } from './check-server.ts';
import { checkState } from './check-state.ts';
import { checkWorkspace } from './check-workspace.ts';
import { type Finding, toFailure } from './finding.ts';

export interface DiagnoseOptions {
  /** Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Default: the current folder. */
  cwd?: string;
  /** As in `createKlaus`. Default: `scripted/NAME` is unknown. */
  scripted?: KlausOptions['scripted'];
}

/**
 * Looks at everything that a run needs on this machine. Throws nothing, sends nothing to a model, and keeps nothing
 * but what the sandbox drivers remember of their probes.
 */
export async function diagnose(options: DiagnoseOptions = {}): Promise<Finding[]> {
  const env = options.env ?? process.env;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = toHome(env, cwd);
  const userHome = env['HOME'];
  const { configuration, finding } = await checkConfiguration({ env, cwd, home });
  return [
    checkNode(),
    await checkGit(),
    await checkSearch(),
    ...(await checkSandboxes(home, configuration)),
    ...(await checkPerl()),
    finding,
    ...(configuration === undefined ? [] : await checkModel(configuration, options.scripted)),
    ...(configuration === undefined
      ? []
      : await checkWorkspace({ cwd, home, configuration, ...(userHome ? { userHome } : {}) })),
    ...(await checkState(home)),
    await checkServer(home),
    ...(await checkRemote(env['KLAUS_SERVER'])),
  ];
}

function checkNode(): Finding {
  const major = Number(process.versions.node.split('.')[0]);
  const name = 'node';
  if (major >= 24) return { name, status: 'ok', text: `Node ${process.versions.node}` };
  return {
    name,
    status: 'fail',
    text: `Node ${process.versions.node} is too old`,
    fix: 'Install Node 24 or newer.',
    code: 'config',
  };
}

async function checkGit(): Promise<Finding> {
  const name = 'git';
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], { timeout: 10_000, env: toHostEnvironment() });
    return { name, status: 'ok', text: stdout.trim() };
  } catch {
    const text = 'git is not here: no checkpoints, no git tools';
    return { name, status: 'warn', text, fix: 'Install it, on Debian and Ubuntu with apt-get install -y git' };
  }
}

async function checkSearch(): Promise<Finding> {
  const name = 'ripgrep';
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    const { stdout } = await promisify(execFile)(rgPath, ['--version'], { timeout: 10_000 });
    return { name, status: 'ok', text: stdout.split('\n')[0] ?? '' };
  } catch (error) {
    const text = `ripgrep does not start, so search_files and list_files will fail: ${error instanceof Error ? error.message : String(error)}`;
    return { name, status: 'warn', text, fix: 'Install Klaus again, without leaving out optional packages.' };
  }
}

/** What bubblewrap's driver mounts new masks with, in a command that is under way. */
async function checkPerl(): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  const name = 'perl';
  try {
    await promisify(execFile)('perl', ['-e', '1'], { timeout: 10_000, env: toHostEnvironment() });
    return [{ name, status: 'ok', text: 'hides secret files that appear while a command runs' }];
  } catch {
    const text = 'perl is not here: a command is ended when a secret file appears while it runs';
    return [{ name, status: 'warn', text, fix: 'Install it, on Debian and Ubuntu with apt-get install -y perl' }];
  }
}

interface ConfigurationPlace {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  home: string;
}

async function checkConfiguration(
  place: ConfigurationPlace,
): Promise<{ configuration?: Configuration; finding: Finding }> {
  const name = 'configuration';
  const { loadConfiguration } = await import('../config/load-configuration.ts');
  try {
    const configuration = await loadConfiguration(place);
    const own = Object.values(configuration.sources).filter(({ source }) => source !== 'default').length;
    return {
      configuration,
      finding: {
        name,
        status: 'ok',
        text: `${own === 1 ? '1 setting differs' : `${own} settings differ`} from the defaults`,
      },
    };
  } catch (error) {
    return { finding: toFailure(name, error, 'config') };
  }
}
