import { RELAY_PORT, toProxyPath, type ProviderName, type WrapModel } from '@klaus/sdk/wrap';

/** A key that opens nothing: the proxy replaces it by the real one. */
const PLACEHOLDER_KEY = 'klaus-wrap-placeholder-key-0000000000';

/** What a program gets so that it uses the proxy. */
interface ProgramSetup {
  /** Arguments before those of the user. */
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Content by path in its home folder. */
  files?: Readonly<Record<string, string>>;
}

interface SetupInput {
  /** The model of Klaus, for programs that cannot choose one that the proxy reaches. */
  model: WrapModel;
  /** True: the user chose the model for this program. */
  isChosen: boolean;
  /** Absolute. */
  workspace: string;
  /** True: providers may use the network for the program. */
  reachesAll: boolean;
}

const toUrl = (provider: ProviderName): string => `http://127.0.0.1:${RELAY_PORT}${toProxyPath(provider)}`;

/** Variables of most programs and libraries. */
const GENERIC: Readonly<Record<string, string>> = {
  ANTHROPIC_BASE_URL: toUrl('anthropic'),
  ANTHROPIC_API_KEY: PLACEHOLDER_KEY,
  OPENAI_BASE_URL: toUrl('openai'),
  OPENAI_API_KEY: PLACEHOLDER_KEY,
  OPENROUTER_BASE_URL: toUrl('openrouter'),
  OPENROUTER_API_KEY: PLACEHOLDER_KEY,
};

/** Programs that need more than the generic variables, by name. */
const PROGRAMS: Readonly<Record<string, (input: SetupInput) => ProgramSetup>> = {
  claude: ({ model, isChosen, workspace }) => ({
    env: {
      ...(isChosen ? { ANTHROPIC_MODEL: model.id } : {}),
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
    // The answers to the questions of its first start.
    files: {
      '.claude.json': JSON.stringify({
        hasCompletedOnboarding: true,
        theme: 'dark',
        customApiKeyResponses: { approved: [PLACEHOLDER_KEY.slice(-20)], rejected: [] },
        projects: { [workspace]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      }),
    },
  }),
  codex: ({ model, isChosen, reachesAll }) => ({
    args: [
      'model_provider="klaus"',
      `model_providers.klaus={name="Klaus",base_url="${toUrl(toOpenai(model))}",wire_api="responses",env_key="OPENAI_API_KEY"}`,
      // Its own sandbox does not work inside of another one.
      'sandbox_mode="danger-full-access"',
      'check_for_update_on_startup=false',
      'analytics.enabled=false',
      // Otherwise each request offers the web search of the provider.
      ...(reachesAll ? [] : ['web_search="disabled"']),
      ...(isChosen || model.provider !== 'anthropic' ? [`model=${JSON.stringify(model.id)}`] : []),
    ].flatMap((setting) => ['-c', setting]),
  }),
  opencode: ({ model }) => ({
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        provider: {
          klaus: {
            npm: OPENCODE_PACKAGES[model.provider] ?? OPENCODE_OTHER,
            name: 'Klaus',
            options: { baseURL: toVersioned(model.provider), apiKey: PLACEHOLDER_KEY },
            models: {
              [model.id]: { name: model.id, limit: { context: model.contextWindow, output: model.maxOutputTokens } },
            },
          },
        },
        model: `klaus/${model.id}`,
        small_model: `klaus/${model.id}`,
        autoupdate: false,
        share: 'disabled',
      }),
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
  }),
  pi: ({ model }) => ({
    env: { PI_OFFLINE: '1' },
    files: {
      '.pi/agent/settings.json': JSON.stringify({ defaultProvider: 'klaus', defaultModel: model.id }),
      '.pi/agent/models.json': JSON.stringify({
        providers: {
          klaus: {
            baseUrl: toUrl(model.provider),
            api: PI_APIS[model.provider] ?? PI_OTHER,
            apiKey: PLACEHOLDER_KEY,
            models: [
              {
                id: model.id,
                name: model.id,
                reasoning: false,
                input: ['text'],
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
                contextWindow: model.contextWindow,
                maxTokens: model.maxOutputTokens,
              },
            ],
          },
        },
      }),
    },
  }),
};

/** Every other provider speaks chat-completions. */
const OPENCODE_PACKAGES: Readonly<Partial<Record<ProviderName, string>>> = {
  anthropic: '@ai-sdk/anthropic',
  openai: '@ai-sdk/openai',
};
const OPENCODE_OTHER = '@ai-sdk/openai-compatible';

const PI_APIS: Readonly<Partial<Record<ProviderName, string>>> = {
  anthropic: 'anthropic-messages',
  openai: 'openai-responses',
};
const PI_OTHER = 'openai-completions';

export const PROGRAM_NAMES: readonly string[] = Object.keys(PROGRAMS);

/** The set-up of a program; that of an unknown one has only the generic variables. */
export function toSetup(name: string, input: SetupInput): Required<ProgramSetup> {
  const { args = [], env = {}, files = {} } = PROGRAMS[name]?.(input) ?? {};
  return { args, env: { ...GENERIC, ...env }, files };
}

/** Codex needs the Responses API. */
function toOpenai({ provider }: WrapModel): ProviderName {
  return provider === 'anthropic' ? 'openai' : provider;
}

function toVersioned(provider: ProviderName): string {
  return provider === 'anthropic' ? `${toUrl(provider)}/v1` : toUrl(provider);
}
