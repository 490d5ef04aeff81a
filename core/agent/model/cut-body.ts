import type { Work } from '../loop/work.ts';

/** Characters of the body of an error in the log, and those that remain of a longer one. */
const MAX_BODY = 8_000;
const KEPT = 4_000;

/** A body for the log. A secret is replaced before the cut, which could leave a part of it. */
export function cutBody({ redactor }: Pick<Work, 'redactor'>, body: string | undefined): string | undefined {
  if (body === undefined || body.length <= MAX_BODY) return body;
  return `${redactor.redactHead(body, KEPT).text}…`.toWellFormed();
}
