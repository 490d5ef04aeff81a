import { isRecord } from '@klaus/core/is-record';
import { splitFrontMatter } from '@klaus/core/skill-text';

/** The fields of the front matter of a Markdown file; none without one. Undefined if its YAML is invalid. */
export async function readFrontMatter(text: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { head } = splitFrontMatter(text);
  if (head === undefined) return {};
  const { parse } = await import('yaml');
  try {
    const fields: unknown = parse(head, { maxAliasCount: 100, logLevel: 'silent' });
    return isRecord(fields) ? fields : fields === null ? {} : undefined;
  } catch {
    return undefined;
  }
}
