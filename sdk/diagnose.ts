import { execFile } from 'node:child_process';
import { statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type ErrorCode, toKlausError } from '@klaus/core/protocol';
import type { Configuration } from './config/configuration.ts';
import { toHome } from './config/home.ts';
import type { KlausOptions } from './klaus.ts';

const MIB = 1_024 * 1_024;
/** Below this much free space a run soon fails; below the second one now. */
const LOW_SPACE = 500 * MIB;
const NO_SPACE = 20 * MIB;

/** What was found about one thing that Klaus needs. */
export interface Finding {
  /** Such as `node` or `sandbox bubblewrap`. */
  name: string;
  /** `warn`: something is missing that a run can do without. */
  status: 'ok' | 'warn' | 'fail';
  text: string;
  /** What the user can do, with the exact line to type where there is one. */
  mend?: string;
  /** A shell line that mends it by the system's package manager, where that is all it takes. */
  install?: string;
  /** What a run would fail with, for `fail`. */
  code?: ErrorCode;
}

export interface DiagnoseOptions {
  /** Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Default: the current folder. */
  cwd?: string;
  /** As in `createKlaus`. Default: `scripted/NAME` is unknown. */
  scripted?: KlausOptions['scripted'];
}

/**
 * Looks at everything that a run needs on this machine. Throws nothing, and keeps nothing but what the sandbox
 * drivers remember of their probes.
 */
export async function diagnose(options: DiagnoseOptions = {}): Promise<Finding[]> {
  const env = options.env ?? process.env;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = toHome(env, cwd);
  const { configuration, finding } = await checkConfiguration({ env, cwd, home });
  return [
    checkNode(),
    await checkGit(),
    await checkSearch(),
    ...(await checkSandboxes(home, configuration)),
    ...(await checkPerl()),
    finding,
    ...(configuration === undefined ? [] : await checkModel(configuration, options.scripted)),
    checkHome(home),
    await checkDatabase(home),
    checkSpace(home),
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
    mend: 'Install Node 24 or newer.',
    code: 'config',
  };
}

async function checkGit(): Promise<Finding> {
  const name = 'git';
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], { timeout: 10_000 });
    return { name, status: 'ok', text: stdout.trim() };
  } catch {
    const text = 'git is not here: no checkpoints, no git tools';
    return { name, status: 'warn', text, mend: 'Install it, on Debian and Ubuntu with apt-get install -y git' };
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
    return { name, status: 'warn', text, mend: 'Install Klaus again, without leaving out optional packages.' };
  }
}

async function checkSandboxes(home: string, configuration: Configuration | undefined): Promise<Finding[]> {
  const { probeSandboxes } = await import('@klaus/adapters/sandboxes');
  const drivers = await probeSandboxes({ home });
  const findings = drivers.map((driver): Finding => {
    const name = `sandbox ${driver.name}`;
    if (driver.available) return { name, status: driver.name === 'host' ? 'warn' : 'ok', text: driver.detail };
    const { reason, mend, install } = driver;
    return { name, status: 'warn', text: reason, mend, ...(install === undefined ? {} : { install }) };
  });
  const chosen = configuration?.get('sandbox.driver');
  const docker = configuration?.get('dockerEnabled');
  const usable = drivers.filter(({ name, available }) => {
    if (!available || (name === 'docker' && docker === false)) return false;
    if (chosen !== undefined) return name === chosen;
    return docker === true ? name === 'docker' : name !== 'host';
  });
  if (usable.length > 0) return findings;
  const wanted = chosen ?? (docker === true ? 'docker' : undefined);
  const text =
    wanted === undefined ? 'no sandbox works here' : `the sandbox that is configured, ${wanted}, does not work here`;
  const mends = findings.flatMap((finding) =>
    wanted === undefined || finding.name.endsWith(wanted) ? (finding.mend ?? []) : [],
  );
  return [
    ...findings,
    {
      name: 'sandbox',
      status: 'fail',
      text,
      mend: mends.join(' Or else: ').replaceAll('Or else: Type: ', 'Or else type: '),
      code: 'sandbox.unavailable',
    },
  ];
}

/** What bubblewrap's driver mounts new masks with, in a command that is under way. */
async function checkPerl(): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  const name = 'perl';
  try {
    await promisify(execFile)('perl', ['-e', '1'], { timeout: 10_000 });
    return [{ name, status: 'ok', text: 'hides secret files that appear while a command runs' }];
  } catch {
    const text = 'perl is not here: a command is ended when a secret file appears while it runs';
    return [{ name, status: 'warn', text, mend: 'Install it, on Debian and Ubuntu with apt-get install -y perl' }];
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
  const { loadConfiguration } = await import('./config/load-configuration.ts');
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

async function checkModel(configuration: Configuration, scripted: KlausOptions['scripted']): Promise<Finding[]> {
  const { keys } = configuration.values;
  const variables: Record<string, string | undefined> = {
    ANTHROPIC_API_KEY: keys.anthropic,
    ANTHROPIC_AUTH_TOKEN: keys.anthropicToken,
    OPENAI_API_KEY: keys.openai,
    OPENROUTER_API_KEY: keys.openrouter,
  };
  const set = Object.keys(variables).filter((variable) => variables[variable] !== undefined);
  const unset = Object.keys(variables).filter((variable) => variables[variable] === undefined);
  const text = [...set.map((variable) => `${variable} set`), ...unset.map((variable) => `${variable} not set`)].join(
    ', ',
  );
  const key: Finding = { name: 'keys', status: set.length > 0 ? 'ok' : 'warn', text };
  const [{ createModels }, { toModelsOptions }] = await Promise.all([
    import('@klaus/adapters/models'),
    import('./engine-settings.ts'),
  ]);
  const wanted = configuration.get('model');
  try {
    const model = await createModels({ ...toModelsOptions(configuration), ...(scripted ? { scripted } : {}) }).resolve(
      wanted,
    );
    return [
      key,
      { name: 'model', status: 'ok', text: model.name === wanted ? wanted : `${wanted} means ${model.name}` },
    ];
  } catch (error) {
    return [key, toFailure('model', error, 'auth')];
  }
}

function checkHome(home: string): Finding {
  const name = 'home';
  const stat = statSync(home, { throwIfNoEntry: false });
  if (stat === undefined) return { name, status: 'ok', text: `${home} will be made when it is needed` };
  if (!stat.isDirectory()) {
    return { name, status: 'fail', text: `${home} is no folder`, mend: 'Set KLAUS_HOME to a folder.', code: 'config' };
  }
  const mode = stat.mode & 0o777;
  const uid = process.getuid?.();
  if (uid !== undefined && stat.uid !== uid) {
    return {
      name,
      status: 'fail',
      text: `${home} belongs to another user`,
      mend: 'Set KLAUS_HOME to a folder of yours.',
      code: 'config',
    };
  }
  if ((mode & 0o077) !== 0) {
    return {
      name,
      status: 'warn',
      text: `${home} is open to others (mode ${mode.toString(8)})`,
      mend: `chmod 700 ${home}`,
    };
  }
  return { name, status: 'ok', text: `${home}, mode ${mode.toString(8)}` };
}

async function checkDatabase(home: string): Promise<Finding> {
  const name = 'database';
  const file = join(home, 'klaus.db');
  // Opening would make it, and this only looks.
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return { name, status: 'ok', text: 'none yet' };
  const { createSqliteStore } = await import('@klaus/adapters/store');
  try {
    using store = createSqliteStore({ home });
    const { tables } = store.stats();
    const sessions = tables.find((table) => table.name === 'sessions')?.rows ?? 0;
    return { name, status: 'ok', text: `${file}, ${sessions} session${sessions === 1 ? '' : 's'}` };
  } catch (error) {
    return toFailure(name, error, 'store.corrupt');
  }
}

function checkSpace(home: string): Finding {
  let folder = home;
  while (statSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${Math.floor(free / MIB).toLocaleString('en-US')} MiB free at ${folder}`;
  const name = 'disk space';
  if (free >= LOW_SPACE) return { name, status: 'ok', text };
  const mend = 'Free some space, for example with klaus db clear-sessions --older-than 30.';
  return free < NO_SPACE
    ? { name, status: 'fail', text, mend, code: 'store.full' }
    : { name, status: 'warn', text, mend };
}

function toFailure(name: string, error: unknown, fallback: ErrorCode): Finding {
  const known = toKlausError(error, fallback);
  const { code, message, hint } = known;
  return { name, status: 'fail', text: message, code, ...(hint === undefined ? {} : { mend: hint }) };
}
