import { posix } from 'node:path';
import { toNearest } from '@klaus/core/protocol';
import type { FoundPath, ToolContext } from '@klaus/core/agent';
import { runRipgrep } from '../search/ripgrep.ts';

type Finder = Pick<ToolContext, 'find'>;

/**
 * The path as it exists: letters with marks have a composed and a decomposed form, which look the same and are two
 * names. Returns the given path if it exists, or if neither form does.
 */
export async function toExistingForm(path: string, { find }: Finder): Promise<string> {
  const forms = [...new Set([path, path.normalize('NFC'), path.normalize('NFD')])];
  if (forms.length === 1) return path;
  for (const form of forms) {
    const found = await find(form).catch(() => undefined);
    if (found && (await found.folder.stat(found.relative))) return form;
  }
  return path;
}

/** A sentence with a similar name of the same folder; '' if there is none. */
export async function suggestName(context: ToolContext, { folder, relative }: FoundPath): Promise<string> {
  const above = posix.dirname(relative);
  const parent = above === '.' ? '' : above;
  const state = await folder.stat(parent);
  if (state?.kind !== 'directory') return '';
  const names: string[] = [];
  const request = { args: ['--files', '--max-depth=1', '--no-ignore'], at: { folder, relative: parent } };
  for await (const name of runRipgrep(context, request)) if (name !== null) names.push(posix.basename(name));
  const wanted = posix.basename(relative);
  const plain = (name: string): string => name.normalize('NFC').toLowerCase();
  const similar = names.find((name) => plain(name) === plain(wanted)) ?? toNearest(wanted, names);
  return similar === undefined ? '' : ` Did you mean ${parent === '' ? similar : `${parent}/${similar}`}?`;
}
