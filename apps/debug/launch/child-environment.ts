/** Variables that the CLI gets from the program. All others stay in the program. */
const NAMES = new Set([
  'AGENT_MODEL',
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'SYSTEMROOT',
  'PATHEXT',
  'COMSPEC',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  'XDG_RUNTIME_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]);

/** Providers by the beginning of their variables: those of Klaus, and those of packages of the AI SDK. */
const PROVIDERS = [
  'ANTHROPIC',
  'OPENAI',
  'OPENROUTER',
  'GOOGLE_GENERATIVE_AI',
  'MISTRAL',
  'GROQ',
  'XAI',
  'DEEPSEEK',
  'COHERE',
  'TOGETHER_AI',
  'TOGETHER',
  'FIREWORKS',
  'PERPLEXITY',
  'CEREBRAS',
  'DEEPINFRA',
  'BASETEN',
  'AI_GATEWAY',
  'AZURE',
  'OLLAMA',
] as const;

const PROVIDER = new RegExp(`^(?:${PROVIDERS.join('|')})_(?:API_KEY|AUTH_TOKEN|BASE_URL|RESOURCE_NAME)$`, 'u');
const OWN = /^(?:KLAUS|KLENDATHU|LC)_/u;

/** The environment of the CLI: what it needs of `env`, and `more`. */
export function toChildEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  more: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const chosen = Object.entries(env).filter(
    ([name]) => NAMES.has(name.toUpperCase()) || OWN.test(name) || PROVIDER.test(name),
  );
  const merged: Record<string, string | undefined> = { ...Object.fromEntries(chosen), ...more };
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
