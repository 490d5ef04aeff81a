import { z } from 'zod';
import { optional } from '../optional.ts';
import { APPROVAL_SETTINGS } from './approval-settings.ts';
import { CLUSTER_SETTINGS } from './services/cluster-settings.ts';
import { DEPLOY_SETTINGS } from './deploy-settings.ts';
import { GUARD_SETTINGS } from './guard-settings.ts';
import { HOOK_SETTINGS } from './hook-settings.ts';
import { INSTANCE_SETTINGS } from './instance-settings.ts';
import { MODEL_SERVER_SETTINGS } from './models/model-server-settings.ts';
import { MODEL_SETTINGS } from './model-settings.ts';
import { AI_SDK_SETTINGS, BASE_URL_SETTINGS, KEY_SETTINGS } from './provider-settings.ts';
import { REPOSITORY_SETTINGS } from './repository-settings.ts';
import { REVIEWER_SETTINGS } from './reviewer-settings.ts';
import { RUN_SETTINGS } from './run-settings.ts';
import { SANDBOX_SETTINGS } from './sandbox-settings.ts';
import { SERVER_SETTINGS } from './server-settings.ts';
import type { Setting } from './setting.ts';
import { SIGN_IN_SETTINGS } from './sign-in-settings.ts';
import { TELEMETRY_SETTINGS } from './services/telemetry-settings.ts';
import { WEB_SETTINGS } from './web-settings.ts';

/** Every setting of Klaus by its key, from one table for each area. Types, validation and documentation derive from them. */
export const SETTINGS = {
  ...MODEL_SETTINGS,
  ...RUN_SETTINGS,
  ...APPROVAL_SETTINGS,
  ...SANDBOX_SETTINGS,
  ...REPOSITORY_SETTINGS,
  ...KEY_SETTINGS,
  ...DEPLOY_SETTINGS,
  ...BASE_URL_SETTINGS,
  ...AI_SDK_SETTINGS,
  ...MODEL_SERVER_SETTINGS,
  ...SERVER_SETTINGS,
  ...SIGN_IN_SETTINGS,
  ...CLUSTER_SETTINGS,
  ...INSTANCE_SETTINGS,
  ...GUARD_SETTINGS,
  ...REVIEWER_SETTINGS,
  ...TELEMETRY_SETTINGS,
  ...HOOK_SETTINGS,
  ...WEB_SETTINGS,
} as const satisfies Record<string, Setting>;

export type SettingKey = keyof typeof SETTINGS;

type ValueOf<T> =
  T extends Setting<infer S, infer D> ? (undefined extends D ? z.output<S> | undefined : z.output<S>) : never;

/** The type of a setting's value. It includes undefined only without a default. */
export type SettingValue<K extends SettingKey> = ValueOf<(typeof SETTINGS)[K]>;

/** Values as a caller writes them, by key: `{ model: 'sonnet', 'limits.usd': 2 }`. */
export type SettingsInput = {
  readonly [K in SettingKey]?: (typeof SETTINGS)[K] extends Setting<infer S, infer _>
    ? ReadonlyList<z.input<S>> | undefined
    : never;
};

type ReadonlyList<T> = T extends (infer E)[] ? readonly E[] : T;

type Flat = { [K in SettingKey]: SettingValue<K> };
type Head<K extends string> = K extends `${infer H}.${string}` ? H : K;
type Tail<K extends string, H extends string> = K extends `${H}.${infer T}` ? T : never;
type Tree<F> = {
  readonly [H in Head<keyof F & string>]: H extends keyof F
    ? F[H]
    : Tree<{ [T in Tail<keyof F & string, H>]: F[`${H}.${T}` & keyof F] }>;
};

/** All values as one object: `limits.usd` is at `.limits.usd`. */
export type SettingValues = Tree<Flat>;

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export function isSettingKey(word: string): word is SettingKey {
  return Object.hasOwn(SETTINGS, word);
}

/** The shape of a configuration file: the settings as a tree, each one optional, and nothing else. */
export function toConfigSchema(): z.ZodObject {
  const build = (prefix: string): z.ZodObject => {
    const shape: Record<string, z.ZodType> = {};
    for (const path of SETTING_KEYS) {
      if (!path.startsWith(prefix)) continue;
      const [head = '', ...rest] = path.slice(prefix.length).split('.');
      const { schema, description, default: initial } = SETTINGS[path] as Setting;
      if (rest.length === 0) shape[head] = schema.meta({ description, ...optional({ default: initial }) }).optional();
      else shape[head] ??= build(`${prefix}${head}.`).optional();
    }
    return z.strictObject(shape);
  };
  return build('');
}
