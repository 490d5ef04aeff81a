import { z } from 'zod';

export const providerStateSchema = z
  .object({
    data: z.record(z.string(), z.unknown()).describe('In the form of its API.'),
    plain: z
      .literal(true)
      .optional()
      .describe(
        'Present when nothing of the part is signed or encrypted: it is sent back redacted. Absent: it is sent back unchanged or not at all.',
      ),
  })
  .describe(
    'What the provider wants back with this part, such as a signature or encrypted reasoning. Only the model and the server of `answeredBy` get it.',
  );

/** Opaque data of a provider that belongs to a part of an answer. */
export type ProviderState = z.infer<typeof providerStateSchema>;
