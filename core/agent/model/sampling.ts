import type { EffortLevel, EventBody, Sampling } from '../../protocol/index.ts';
import type { Model, ModelInfo } from '../ports/model.ts';

/** What a request contains of the chosen sampling. */
export interface SupportedSampling {
  temperature?: number;
  effort?: EffortLevel;
}

/** The part of the chosen sampling that the model supports, in its own levels. */
export function toSupported(
  { temperature, effort }: Sampling,
  { maxTemperature, efforts = [] }: Pick<ModelInfo, 'maxTemperature' | 'efforts'>,
): SupportedSampling {
  const isSupported = temperature !== undefined && maxTemperature !== undefined && temperature <= maxTemperature;
  return {
    temperature: isSupported ? temperature : undefined,
    effort: effort === 'max' ? efforts.at(-1) : efforts.find((level) => level === effort),
  };
}

export function hasSampling({ temperature, effort }: Sampling): boolean {
  return temperature !== undefined || effort !== undefined;
}

/** One notice for each chosen value that the model does not support. */
export function reportUnsupported(
  sampling: Sampling,
  { name, info }: Pick<Model, 'name' | 'info'>,
  run: string,
): EventBody[] {
  const sent = toSupported(sampling, info);
  return (['temperature', 'effort'] as const).flatMap((field): EventBody[] => {
    const value = sampling[field];
    if (value === undefined || sent[field] !== undefined) return [];
    return [
      { type: 'notice', run, level: 'warn', text: `${name} does not support ${field} ${value}: it is not sent.` },
    ];
  });
}
