import { z } from 'zod';

const dollars = z.number().min(0);

/** US dollars per million tokens. */
export const priceSchema = z.strictObject({
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
});
