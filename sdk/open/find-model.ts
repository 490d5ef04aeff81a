import type { Engine } from '@klaus/core/agent';
import { KlausError, type Grant, type Limits } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import { checkModel } from '../grants/opening-grant.ts';
import { advisePrice } from './advise-price.ts';

/** @throws KlausError `model.unknown`, `auth`, `config`, and `usage` for a model that the grant does not name. */
export async function findModel(
  { engine, configuration }: { engine: Engine; configuration: Configuration },
  { wanted, grant, limits }: { wanted: string | undefined; grant: Grant; limits: Limits },
): Promise<{ name: string; isPriced: boolean }> {
  const { name, info } = await engine.models.resolve(wanted ?? configuration.values.model);
  checkModel(grant, name);
  const isPriced = info.prices.length > 0;
  if (limits.usd > 0 && !isPriced) {
    throw new KlausError('config', `No price is known for ${name}, so a budget in dollars cannot be kept.`, {
      hint: `${advisePrice(name)} Or run without --budget-usd.`,
    });
  }
  return { name, isPriced };
}
