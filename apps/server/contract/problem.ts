import { ERROR_CODES } from '@klaus/core/protocol';
import { z } from 'zod';

/** Error codes of the server that the engine does not have. */
const HTTP_CODES = [
  'unauthorized',
  'forbidden',
  'role_required',
  'not_found',
  'method_not_allowed',
  'too_large',
  'too_many',
  'unsupported_media',
  'unavailable',
] as const;

export const problemCodeSchema = z.enum([...ERROR_CODES, ...HTTP_CODES]);
export type ProblemCode = z.infer<typeof problemCodeSchema>;

/** Problem details (RFC 9457), `application/problem+json`: the body of every error response. */
export const problemSchema = z.object({
  type: z.string().describe('Always `about:blank`; see `code`.'),
  title: z.string().describe('What happened, in one sentence.'),
  status: z
    .int()
    .describe(
      '424 if a program, a service or a model failed that the server does not control. 5xx is a fault of the server itself, or of its database or scheduler.',
    ),
  detail: z.string().optional().describe('What to do about it.'),
  code: problemCodeSchema.describe('One of a closed set.'),
  retryable: z.boolean().optional().describe('True if the same request may succeed later.'),
  requestId: z.string().optional().describe('Also in the log of the server and in the header `X-Request-Id`.'),
  errors: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .describe('The invalid fields of the request.'),
});
export type Problem = z.infer<typeof problemSchema>;
