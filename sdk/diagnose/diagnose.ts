import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { toHostEnvironment } from '@klaus/adapters/system';
import { toKlausError } from '@klaus/core/protocol';
import { toHome } from '../config/home.ts';
import type { ConfigurationInput } from '../config/load-configuration.ts';
import type { KlausOptions } from '../klaus-options.ts';
import { checkLocalServers, checkModel } from './check-model.ts';
import { checkSandboxes } from './check-sandboxes.ts';
import { checkRemote, checkServer } from './check-server.ts';
import { checkState } from './check-state.ts';
import { checkWorkspace } from './check-workspace.ts';
import { type Finding, ok, toFailure, warn } from './finding.ts';

export interface DiagnoseOptions {
  /** Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Default: the current folder. */
  cwd?: string;
  /** State folder. Default: `KLAUS_HOME`, else `~/.klaus`. */
  home?: string;
  /** As in `createKlaus`. Default: `scripted/NAME` is unknown. */
  scripted?: KlausOptions['scripted'];
}

/**
 * Checks everything that a run needs on this machine. Throws nothing, sends nothing to a model, and stores nothing except
 * the cached probes of the sandbox drivers.
 */
export async function diagnose(options: DiagnoseOptions = {}): Promise<Finding[]> {
  const env = options.env ?? process.env;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = toHome(env, cwd, options.home);
  const { configuration, finding } = await checkConfiguration({ env, cwd, home });
  return [
    checkNode(),
    await checkGit(),
    await checkSearch(),
    ...(await checkSandboxes(home, configuration)),
    ...(await checkPerl()),
    finding,
    ...(configuration ? await checkModel(configuration, { home, scripted: options.scripted }) : []),
    ...(configuration ? await checkLocalServers({ env, cwd, home }) : []),
    ...(configuration ? await checkWorkspace({ cwd, home, configuration, userHome: env['HOME'] || undefined }) : []),
    ...(await checkState(home, configuration && resolve(cwd, configuration.get('workspace')))),
    await checkServer(home),
    ...(await checkRemote(env['KLAUS_SERVER'])),
  ];
}

function checkNode(): Finding {
  const major = Number(process.versions.node.split('.')[0]);
  const text = `Node ${process.versions.node}`;
  if (major >= 24) return ok('node', text);
  const fix = 'Install Node 24 or newer.';
  return { name: 'node', status: 'fail', text: `${text} is too old`, fix, code: 'config' };
}

async function checkGit(): Promise<Finding> {
  try {
    return ok('git', (await run('git', ['--version'])).trim());
  } catch {
    const fix = 'Install it, on Debian and Ubuntu with apt-get install -y git';
    return warn('git', 'git is not here: no checkpoints, no git tools', fix);
  }
}

async function checkSearch(): Promise<Finding> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return ok('ripgrep', (await run(rgPath, ['--version'])).split('\n')[0] ?? '');
  } catch (error) {
    const text = `ripgrep does not start, so search_files and list_files will fail: ${toKlausError(error).message}`;
    return warn('ripgrep', text, 'Install Klaus again, without leaving out optional packages.');
  }
}

/** Checks perl, with which bubblewrap's driver mounts new masks in a running command. */
async function checkPerl(): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  try {
    await run('perl', ['-e', '1']);
    return [ok('perl', 'hides secret files that appear while a command runs')];
  } catch {
    const text = 'perl is not here: a command is ended when a secret file appears while it runs';
    return [warn('perl', text, 'Install it, on Debian and Ubuntu with apt-get install -y perl')];
  }
}

async function run(program: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { timeout: 10_000, env: toHostEnvironment() })).stdout;
}

async function checkConfiguration(place: ConfigurationInput) {
  const { loadConfiguration } = await import('../config/load-configuration.ts');
  try {
    const configuration = await loadConfiguration(place);
    const own = Object.values(configuration.sources).filter(({ source }) => source !== 'default').length;
    const text = `${own === 1 ? '1 setting differs' : `${own} settings differ`} from the defaults`;
    return { configuration, finding: ok('configuration', text) };
  } catch (error) {
    return { configuration: undefined, finding: toFailure('configuration', error, 'config') };
  }
}

/**
 * Downloads bubblewrap with apt into `KLAUS_HOME` if it is not installed.
 *
 * @param options.env Default: that of the process.
 * @returns The reason of a failure; undefined on success.
 */
export async function fetchSandbox(options: {
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
}): Promise<string | undefined> {
  const { fetchBubblewrap } = await import('@klaus/adapters/sandboxes');
  const env = options.env ?? process.env;
  return (await fetchBubblewrap(toHome(env, options.cwd ?? process.cwd()), { env })).reason;
}
