import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type TemplateName = 'investigate' | 'implement';

const read = (name: TemplateName): string =>
  readFileSync(join(import.meta.dirname, `../templates/${name}.mustache`), 'utf8');

/** The templates of this package. */
export const BUILTIN_TEMPLATES: Readonly<Record<TemplateName, string>> = {
  get investigate() {
    return read('investigate');
  },
  get implement() {
    return read('implement');
  },
};
