import { ERROR_CODES } from '@klaus/core/protocol';
import { z } from 'zod';

/** What an HTTP door can say besides the errors of the engine. */
const HTTP_CODES = [
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'too_large',
  'too_many',
  'unsupported_media',
  'unavailable',
] as const;

export const problemCodeSchema = z.enum([...ERROR_CODES, ...HTTP_CODES]);
export type ProblemCode = z.infer<typeof problemCodeSchema>;

/** Problem details (RFC 9457), `application/problem+json`: how every refused request is answered. */
export const problemSchema = z.object({
  type: z.string().describe('`about:blank`: the code says more.'),
  title: z.string().describe('What went wrong, as one sentence.'),
  status: z.int(),
  detail: z.string().optional().describe('What can be done about it.'),
  code: problemCodeSchema.describe('Of a closed set.'),
  retryable: z.boolean().optional().describe('The same request may succeed later without any change.'),
  requestId: z.string().optional().describe('Stands in the log of the server too, and in the header X-Request-Id.'),
  errors: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .describe('What does not fit the shape, where in the request.'),
});
export type Problem = z.infer<typeof problemSchema>;
