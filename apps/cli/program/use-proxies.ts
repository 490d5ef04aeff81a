/**
 * Lets `fetch` take the proxy of the environment: for MCP servers, sign-ins, webhooks and traces. Connections to models
 * and of the web tools find it themselves, with ranges of addresses in `NO_PROXY` too. Loads nothing without a proxy.
 */
export async function useProxies(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  if (!Object.keys(env).some((name) => /^(?:https?|all)_proxy$/i.test(name) && env[name])) return;
  const { toProxyEnvironment } = await import('@klaus/sdk/proxy-environment');
  const proxies = toProxyEnvironment(env);
  if (proxies === undefined) return;
  const http = await import('node:http');
  http.setGlobalProxyFromEnv(proxies);
}
