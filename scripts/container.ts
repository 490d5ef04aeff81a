/**
 * The container of compose.yaml where Docker has no compose plugin: `up [--detach] [--no-build]` and `down`.
 *
 * Debian's docker-compose 1.29 does not support `systempaths`, and without it no sandbox works in the container. So
 * `docker run` starts it, with the labels by which docker-compose finds its containers: `logs`, `exec`, `ps` and
 * `down` work on it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..');
const NAME = 'agent';

/** The used part of the file. */
interface Service {
  image: string;
  init: boolean;
  restart: string;
  cap_drop: string[];
  security_opt: string[];
  pids_limit: number;
  stop_grace_period: string;
  build: { args: Record<string, string> };
  environment: Record<string, string | null>;
  volumes: string[];
  ports: string[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { detach: { type: 'boolean', short: 'd' }, 'no-build': { type: 'boolean' } },
});
const project = (process.env['COMPOSE_PROJECT_NAME'] ?? basename(ROOT)).toLowerCase().replaceAll(/[^a-z0-9_-]/g, '');
const container = `${project}_${NAME}_1`;
const dotenv = readDotenv(join(ROOT, '.env'));

if (positionals[0] === 'up') process.exitCode = await up();
else if (positionals[0] === 'down') process.exitCode = await down();
else {
  console.error('Usage: sh scripts/container.sh up [--detach] [--no-build] | down');
  process.exitCode = 2;
}

async function up(): Promise<number> {
  const file = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as { services: Record<string, Service> };
  const service = file.services[NAME]!;
  // First, because a missing required variable ends the program.
  const start = toRunWords(service);
  if (!values['no-build']) {
    const args = Object.entries(service.build.args).flatMap(([name, text]) => ['--build-arg', `${name}=${fill(text)}`]);
    const code = await run('docker', ['build', ...args, '-t', service.image, '.']);
    if (code !== 0) return code;
  }
  // Like compose: the running container shuts down before the next one starts.
  spawnSync('docker', ['stop', container]);
  spawnSync('docker', ['rm', '--force', container]);
  spawnSync('docker', ['network', 'create', `${project}_inner`]);
  const code = await run('docker', start);
  if (code !== 0 || values.detach) return code;
  // Ctrl-C reaches the log and this program: both stop the container, like compose.
  process.on('SIGINT', () => {});
  await run('docker', ['logs', '--follow', container]);
  return down();
}

async function down(): Promise<number> {
  const code = await run('docker', ['stop', container]);
  spawnSync('docker', ['rm', '--force', container]);
  spawnSync('docker', ['network', 'rm', `${project}_inner`]);
  return code;
}

function toRunWords(service: Service): string[] {
  const words = ['run', '--detach', '--name', container, '--network', `${project}_inner`];
  if (service.init) words.push('--init');
  words.push('--restart', service.restart, '--pids-limit', String(service.pids_limit));
  words.push('--stop-timeout', String(toSeconds(service.stop_grace_period)));
  for (const name of service.cap_drop) words.push('--cap-drop', name);
  for (const option of service.security_opt) words.push('--security-opt', option.replace(/^([\w-]+):/, '$1='));
  for (const [name, text] of Object.entries(service.environment)) {
    // The process list would show a value that is an argument.
    const value = text === null ? (process.env[name] ?? dotenv[name]) : fill(text);
    if (value === undefined) continue;
    process.env[name] = value;
    words.push('--env', name);
  }
  for (const volume of service.volumes) {
    const [source, target] = fill(volume).split(/:(?=\/)/);
    words.push('--volume', `${source!.startsWith('/') ? source : `${project}_${source}`}:${target}`);
  }
  for (const port of service.ports) words.push('--publish', fill(port).replace(':0:', '::'));
  const labels = { project, service: NAME, 'container-number': '1', oneoff: 'False', version: '1.29.2' };
  for (const [name, value] of Object.entries(labels)) words.push('--label', `com.docker.compose.${name}=${value}`);
  return [...words, service.image];
}

/** Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?what is missing}` like compose. */
function fill(text: string): string {
  return text.replaceAll(/\$\{\w+(?::[-?][^}]*)?\}/g, (found) => {
    const { name, kind, rest } = /^\$\{(?<name>\w+)(?::(?<kind>[-?])(?<rest>.*))?\}$/.exec(found)!.groups!;
    const value = process.env[name!] || dotenv[name!];
    if (value !== undefined && value !== '') return value;
    if (kind !== '?') return kind === '-' ? rest! : '';
    console.error(`${name} is not set: ${rest}`);
    process.exit(1);
  });
}

/** `.env` next to compose.yaml, which compose reads too. */
function readDotenv(path: string): NodeJS.Dict<string> {
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
}

function toSeconds(period: string): number {
  const [, number, unit] = /^(\d+)([hms])$/.exec(period)!;
  return Number(number) * { h: 3_600, m: 60, s: 1 }[unit as 'h' | 'm' | 's'];
}

async function run(program: string, words: readonly string[]): Promise<number> {
  const child = spawn(program, words, { cwd: ROOT, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}
