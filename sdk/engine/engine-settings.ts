import { optional } from '@klaus/core/optional';
import { availableParallelism, totalmem } from 'node:os';
import type { ModelsOptions } from '@klaus/adapters/models';
import type { EngineSettings, ExecLimits } from '@klaus/core/agent';
import type { Configuration } from '../config/configuration.ts';

/** A question that nobody answers is refused after a week. */
const APPROVAL_TTL_MS = 7 * 86_400_000;

export function toEngineSettings(
  configuration: Configuration,
  { endProcesses = 'close' }: Partial<Pick<EngineSettings, 'endProcesses'>> = {},
): EngineSettings {
  const { values } = configuration;
  return {
    maxOutputTokens: values.maxOutputTokens,
    maxRetries: values.maxRetries,
    retry: values.retry,
    maxToolOutputContext: values.maxToolOutputContext,
    maxSearchResults: values.maxSearchResults,
    execLimits: toExecLimits(configuration),
    gitIdentity: { name: values.git.userName ?? 'Klaus', email: values.git.userEmail ?? 'klaus@localhost' },
    compactAt: values.compactAt,
    approvalTtlMs: APPROVAL_TTL_MS,
    secretPatterns: values.secrets.files,
    hiddenPatterns: [],
    endProcesses,
  };
}

function toExecLimits({ values }: Configuration): ExecLimits {
  const { timeoutMs, memoryMb = halfOfMemory(), cpus = otherCores(), processes } = values.sandbox;
  return { timeoutMs, memoryMb, cpus, processes };
}

/** Half of what this process may use, in MiB: of the machine's memory, or of the container's. */
function halfOfMemory(): number {
  const constrained = process.constrainedMemory();
  const bytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.max(256, Math.floor(bytes / 2 / 1024 / 1024));
}

/** All cores but one, which stays for the user; of a single core that one. */
function otherCores(): number {
  return Math.max(1, availableParallelism() - 1);
}

export function toSandboxOptions(configuration: Configuration): {
  limits: ExecLimits;
  image?: string;
  dockerEnabled?: boolean;
  variables: readonly string[];
} {
  const { sandbox, dockerEnabled } = configuration.values;
  return {
    limits: toExecLimits(configuration),
    variables: sandbox.env,
    ...optional({ image: sandbox.image, dockerEnabled }),
  };
}

export function toModelsOptions({ values }: Configuration): Omit<ModelsOptions, 'scripted' | 'onNotice'> {
  const { keys, baseUrls, tiers, prices, models } = values;
  return {
    keys,
    baseUrls,
    tiers,
    ...(prices ? { prices: toPrices(prices) } : {}),
    ...(models.allow ? { allow: models.allow } : {}),
  };
}

interface ConfiguredPrice {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

/** A price without cache classes bills cached tokens like any other. */
function toPrices(prices: Readonly<Record<string, ConfiguredPrice>>): NonNullable<ModelsOptions['prices']> {
  return Object.fromEntries(
    Object.entries(prices).map(([name, { input, output, cacheRead = input, cacheWrite = input }]) => [
      name,
      { input, output, cacheRead, cacheWrite },
    ]),
  );
}
