// Covers adapters/tools/install, core/policy/network, adapters/sandboxes/network: real packages under a grant for their registry, and none without.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Script } from '@klaus/sdk';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import type { ToolCall } from '../fixtures/play.ts';
import { test } from '../fixtures/sandboxed.ts';

interface Case {
  name: string;
  allowNet: string;
  /** An address of the registry, and programs. Without one of them the case is skipped. */
  registry: string;
  needs: readonly string[];
  files: Readonly<Record<string, string>>;
  call: ToolCall;
  /** What exists after it. */
  made: string;
}

const GO_MAIN = 'package main\n\nimport "github.com/google/uuid"\n\nfunc main() { println(uuid.Nil.String()) }\n';
const GO_SUM = `github.com/google/uuid v1.6.0 h1:NIvaJDMOsjHA8n1jAhLSgzrAzy1Hgr+hNrb57e+94F0=
github.com/google/uuid v1.6.0/go.mod h1:TIyPZe4MgqvfeYDBFedMoGGpEw/LqOeaOT+nhxU+yHo=
`;

const CASES: readonly Case[] = [
  {
    name: 'npm_install',
    allowNet: 'npm',
    registry: 'https://registry.npmjs.org/is-number',
    needs: ['npm'],
    files: { 'package.json': '{"name":"app","version":"1.0.0"}' },
    call: { name: 'npm_install', input: { packages: ['is-number@7.0.0'] } },
    made: 'node_modules/is-number/package.json',
  },
  {
    name: 'pip_install',
    allowNet: 'pypi',
    registry: 'https://pypi.org/simple/six/',
    needs: ['python3'],
    files: {},
    call: { name: 'pip_install', input: { packages: ['six==1.16.0'] } },
    made: '.venv/bin/python',
  },
  {
    name: 'a Go build',
    allowNet: 'go',
    registry: 'https://proxy.golang.org/github.com/google/uuid/@v/v1.6.0.info',
    needs: ['go'],
    files: {
      'go.mod': 'module example.com/app\n\ngo 1.20\n\nrequire github.com/google/uuid v1.6.0\n',
      'go.sum': GO_SUM,
      'main.go': GO_MAIN,
    },
    call: { name: 'run_command', input: { command: 'go build -o app .', network: true } },
    made: 'app',
  },
  {
    name: 'a Cargo build',
    allowNet: 'crates',
    registry: 'https://index.crates.io/config.json',
    needs: ['cargo', 'cc'],
    files: {
      'Cargo.toml':
        '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nitoa = "=1.0.11"\n',
      'src/main.rs': 'fn main() { println!("{}", itoa::Buffer::new().format(7)); }\n',
    },
    call: { name: 'run_command', input: { command: 'cargo build', network: true } },
    made: 'target/debug/app',
  },
];

/** Caches of the user would hide a missing network. */
const OWN = { GOPATH: '', GOCACHE: '', GOMODCACHE: '', GOFLAGS: '', CARGO_HOME: '' };

async function run({ files, call, made }: Case, allowNet: readonly string[]) {
  const script: Script = {
    steps: [{ when: { turn: 0 }, reply: { calls: [call] } }],
    fallback: { text: 'Done.' },
  };
  const passed = ['PATH', 'RUSTUP_HOME', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'PIP_CERT', 'REQUESTS_CA_BUNDLE'];
  const env = Object.fromEntries(passed.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  const rust = spawnSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).stdout?.trim();
  const toolchain: Record<string, string> = rust ? { RUSTUP_HOME: join(rust, '../..') } : {};
  await using engine = await createTestEngine({
    script,
    files,
    env: { ...toolchain, ...env, ...OWN },
    settings: { 'sandbox.driver': 'bubblewrap', checkpoint: 'manual', 'sandbox.memoryMb': 4096 },
  });
  const session = await engine.klaus.open({ allowNet });
  await session.prompt('go');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  const { outcome, output } = ofType(events, 'tool.finished')[0]!;
  return { outcome, output, isMade: existsSync(join(engine.place.workspace, made)) };
}

const HAS_ALL = process.env['NETWORK_INSTALLS'] === 'all';

const isThere = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** All of them take minutes: `npm run test:network`. */
const SAMPLE = new Set(['npm_install']);

describe.each(CASES.filter(({ name }) => HAS_ALL || SAMPLE.has(name)))('$name', (one) => {
  const missing = one.needs.filter((program) => !isThere(program));
  const isReached = spawnSync('curl', ['-sfm', '20', '-o', '/dev/null', one.registry]).status === 0;

  test('works under a grant for its registry', { timeout: 240_000 }, async ({ skip }) => {
    skip(missing.length > 0, `there is no ${missing.join(', ')} here`);
    skip(!isReached, `${one.registry} cannot be reached`);
    const { outcome, output, isMade } = await run(one, [one.allowNet]);
    expect({ outcome, isMade }, output).toEqual({ outcome: 'ok', isMade: true });
  });

  test('fails with a grant for another host', { timeout: 240_000 }, async ({ skip }) => {
    skip(missing.length > 0, `there is no ${missing.join(', ')} here`);
    const { outcome, isMade } = await run(one, ['example.com']);
    expect(outcome).not.toBe('ok');
    if (one.made !== '.venv/bin/python') expect(isMade).toBe(false);
  });
});
