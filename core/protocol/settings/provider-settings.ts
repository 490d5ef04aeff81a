import { z } from 'zod';
import { credential } from './credential.ts';
import { modelName } from './model-name.ts';
import { defineSetting, type Setting } from './setting.ts';
import {
  PROVIDER_NAMES,
  PROVIDER_TABLE,
  TIERS,
  type ProviderEntry,
  type ProviderKey,
  type ProviderName,
  type Tier,
} from './provider-table.ts';

const ENTRIES: readonly [ProviderName, ProviderEntry][] = PROVIDER_NAMES.map((name) => [name, PROVIDER_TABLE[name]]);

// No user, password or other query, because they would be printed in logs and errors. Azure requires the version.
const baseUrl = z.string().regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#@]*)?(\?api-version=[\w.-]+)?$/);

function tier(provider: string, name: Tier) {
  return defineSetting({
    schema: modelName,
    unset: 'see the model catalog',
    values: "the provider's id of a model",
    description: `Model of the tier \`${name}\` at ${provider}.`,
  });
}

function aiTier(name: Tier) {
  return defineSetting({
    schema: modelName,
    unset: 'none',
    values: '`PROVIDER/ID`, the name of a model behind `ai/`',
    description: `Model of the tier \`${name}\` at a provider of the AI SDK, while no other provider has a key.`,
  });
}

function url(env: string, provider: string) {
  return defineSetting({
    schema: baseUrl,
    env,
    unset: `the address of ${provider}`,
    values: 'an http or https URL without user, password, fragment and query, except for `?api-version=`',
    description: `Address of the ${provider} API, or of a compatible server.`,
  });
}

/** Settings of one kind: text that is undefined until it is set. */
type TextSettings<K extends string> = { readonly [Key in K]: Setting<z.ZodString, undefined> };

/** The model that a tier means at a provider. */
export const TIER_SETTINGS = {
  ...(Object.fromEntries(
    ENTRIES.flatMap(([name, { title }]) => TIERS.map((each) => [`tiers.${name}.${each}`, tier(title, each)])),
  ) as TextSettings<`tiers.${ProviderName}.${Tier}`>),
  ...(Object.fromEntries(TIERS.map((each) => [`tiers.ai.${each}`, aiTier(each)])) as TextSettings<`tiers.ai.${Tier}`>),
};

export const KEY_SETTINGS = Object.fromEntries(
  ENTRIES.flatMap(([, { keys }]) =>
    Object.entries(keys).map(([name, { env, description }]) => [`keys.${name}`, credential(env, description)]),
  ),
) as TextSettings<`keys.${ProviderKey}`>;

/** Providers of the AI SDK. The options of a provider can contain its key. */
export const AI_SDK_SETTINGS = {
  aiSdk: defineSetting({
    schema: z.record(
      z.string().regex(/^[\w@./-]+$/),
      z.strictObject({
        package: z
          .string()
          .regex(/^(@[\w-][\w.-]*\/)?[\w-][\w.-]*$/)
          .optional(),
        options: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
    unset: 'the package `@ai-sdk/PROVIDER`, without options',
    values: 'for each provider: `package`, and `options` that are passed to its `create` function',
    description: 'Providers of the AI SDK, for models named `ai/PROVIDER/ID`.',
    secret: true,
  }),
} as const;

export const BASE_URL_SETTINGS = Object.fromEntries(
  ENTRIES.map(([name, { title, baseUrlEnv }]) => [`baseUrls.${name}`, url(baseUrlEnv, title)]),
) as TextSettings<`baseUrls.${ProviderName}`>;
