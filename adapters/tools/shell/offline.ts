import { findNetworkNeed } from '@klaus/core/policy';
import type { ExecRequest, ExecResult, ToolContext } from '@klaus/core/agent';
import { isShort, planProjectFetch } from '../project/uninstalled.ts';
import { isSuccess } from './exec-report.ts';

/**
 * Settings with which package managers use their caches, and fail immediately if they need the network.
 * Sources: the configuration references of npm, pip, uv, cargo, Go, Bundler, Composer, Yarn and Git.
 */
const OFFLINE: Readonly<Record<string, string>> = {
  npm_config_prefer_offline: 'true',
  npm_config_fetch_retries: '0',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  PIP_NO_INDEX: '1',
  PIP_RETRIES: '0',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  UV_OFFLINE: '1',
  UV_PYTHON_DOWNLOADS: 'never',
  POETRY_REQUESTS_MAX_RETRIES: '0',
  CARGO_NET_OFFLINE: 'true',
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  BUNDLE_RETRY: '0',
  COMPOSER_DISABLE_NETWORK: '1',
  YARN_HTTP_RETRY: '0',
  YARN_ENABLE_NETWORK: 'false',
  YARN_ENABLE_TELEMETRY: 'false',
  GIT_TERMINAL_PROMPT: '0',
};

/** The environment of a command without a network, so that it does not wait for one. */
export function toOfflineEnvironment(
  { sandbox }: Pick<ToolContext, 'sandbox'>,
  network: boolean,
): Readonly<Record<string, string>> {
  return network || sandbox.name === 'host' ? {} : OFFLINE;
}

/** Messages of programs that cannot resolve a name or reach a host. */
const UNREACHABLE =
  /could not resolve|couldn't resolve|temporary failure in name resolution|name or service not known|network is unreachable|ENOTFOUND|EAI_AGAIN|ENETUNREACH|getaddrinfo|no address associated|failed to (?:fetch|download|lookup)|ENOTCACHED|module lookup disabled by GOPROXY=off|network was disabled|network connectivity is disabled|dial tcp|no matching distribution found|unable to connect to|blocked because of your configuration settings|ConnectionRefused|FailedToOpenSocket|attempting to make an HTTP request, but --offline/i;

interface EndedCommand {
  command: string;
  network: ExecRequest['network'];
  result: ExecResult;
  text: string;
}

/**
 * For a command that failed without a network: how to run it with one, and the command that downloads the dependencies of
 * the workspace.
 */
export function findMissingNetwork(
  {
    sandbox,
    workspace,
  }: { sandbox: Pick<ToolContext['sandbox'], 'name'>; workspace: Pick<ToolContext['workspace'], 'root'> },
  { command, network, result, text }: EndedCommand,
): { hint: string; command: string | undefined } | undefined {
  if (network || sandbox.name === 'host' || isSuccess(result)) return undefined;
  const need = findNetworkNeed(command, { workspace: workspace.root });
  if (need === undefined && !UNREACHABLE.test(text)) return undefined;
  // Several tools have several commands.
  const [download, ...more] = planProjectFetch(workspace.root).filter((step) => step.network);
  const what = download && more.length === 0 && isShort(download) ? download.command : undefined;
  return {
    command: what,
    hint: `[there is no network here${need === undefined ? '' : `: ${need}`}. If the task needs it, call run_command again with network: true${what === undefined ? '' : `, or with only this: ${what}`}; this needs an approval${what === undefined ? '' : '. The user can also install them with: klaus fetch'}]`,
  };
}
