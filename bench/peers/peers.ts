import { join } from 'node:path';
import type { Peer } from './agent.ts';

// Each runs its own native program where it has one, without the launcher that npm puts before it: that is how
// it is fastest. All of them may do what they like, because they have no sandbox to rely on; Klaus has its own.

const KEY = 'sk-ant-bench-7d20c1f4a9b35e8806d1c2f3';
const IS_ARM = process.arch === 'arm64';

const codex: Peer = {
  name: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  version: '0.169.0',
  fetch: 'install',
  toCommand: (folder) => [
    join(
      folder,
      `node_modules/@openai/codex-linux-${process.arch}/vendor`,
      `${IS_ARM ? 'aarch64' : 'x86_64'}-unknown-linux-musl/bin/codex`,
    ),
    'exec',
    '--json',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
  ],
  files: (url) => ({
    '.codex/config.toml': [
      'model = "fake"',
      'model_provider = "fake"',
      'check_for_update_on_startup = false',
      '[analytics]',
      'enabled = false',
      '[model_providers.fake]',
      'name = "fake"',
      `base_url = "${url}/v1"`,
      'wire_api = "responses"',
      'env_key = "FAKE_KEY"',
      '',
    ].join('\n'),
  }),
  env: () => ({ FAKE_KEY: KEY }),
};

const pi: Peer = {
  name: 'pi',
  title: 'pi',
  package: '@earendil-works/pi-coding-agent',
  version: '1.5.2',
  fetch: 'pack',
  toCommand: (folder) => [
    'node',
    join(folder, 'package/dist/bundle/cli.js'),
    ...['-p', '--mode', 'json', '--provider', 'fake', '--model', 'fake'],
  ],
  files: (url) => ({
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        fake: {
          baseUrl: `${url}/v1`,
          api: 'openai-completions',
          apiKey: KEY,
          models: [
            {
              id: 'fake',
              name: 'fake',
              reasoning: false,
              input: ['text'],
              cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
              contextWindow: 200_000,
              maxTokens: 8_192,
            },
          ],
        },
      },
    }),
  }),
  env: () => ({ PI_OFFLINE: '1' }),
};

const opencode: Peer = {
  name: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  fetch: 'install',
  toCommand: (folder) => [
    join(folder, `node_modules/opencode-linux-${process.arch}/bin/opencode`),
    ...['run', '--format', 'json', '--auto', '-m', 'fake/fake'],
  ],
  files: (url) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      provider: {
        fake: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${url}/v1`, apiKey: KEY },
          models: { fake: { limit: { context: 200_000, output: 8_192 } } },
        },
      },
      model: 'fake/fake',
      small_model: 'fake/fake',
      permission: { '*': 'allow' },
    }),
  }),
  env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
};

const claudeCode: Peer = {
  name: 'claude-code',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.330',
  fetch: 'install',
  toCommand: (folder) => [
    join(folder, `node_modules/@anthropic-ai/claude-code-linux-${process.arch}/claude`),
    ...['-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'],
  ],
  files: () => ({}),
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Without it the program refuses to work unasked as root.
    ...(process.getuid?.() === 0 && { IS_SANDBOX: '1' }),
  }),
};

export const PEERS: readonly Peer[] = [codex, pi, opencode, claudeCode];

/** What Klaus is started with: nothing but where the model is. Everything else is as it comes. */
export function toKlausEnv(url: string): Record<string, string> {
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY, AGENT_MODEL: 'anthropic/claude-sonnet-5-5' };
}
