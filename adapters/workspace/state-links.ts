import { readlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listNames } from '@klaus/adapters/system';
import { isBelow } from '@klaus/core/policy';

/** Folders in which agents work, or whose texts they may read. */
const SHOWN = new Set(['copies', 'skills']);
/** Folders without settings, which can be large: links in them are not searched. */
const DATA = new Set(
  'blobs cache homes layers locks logs node_modules processes running scans snapshots workspaces'.split(' '),
);
/** Folders below the state folder in which links are searched. */
const MAX_DEPTH = 4;
/** Most links from one path to its file. */
const MAX_LINKS = 40;

/**
 * The paths outside of the state folder that decide what it contains: links that lead to it or from one link to the next,
 * and the files and folders to which its entries are links, directly or in folders that are links.
 *
 * @param home The state folder as the user names it, absolute.
 * @returns Absolute paths, each in the real path of its folder.
 */
export function findStateLinks(home: string): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const search = (path: string, depth: number): void => {
    const { links, end } = follow(path);
    for (const each of links) found.add(each);
    if (links.length > 0) found.add(end);
    if (depth > MAX_DEPTH || seen.has(end)) return;
    seen.add(end);
    for (const name of listNames(end)) {
      const entry = join(end, name);
      if (depth > 0 || !(SHOWN.has(name) || DATA.has(name))) search(entry, depth + 1);
      else if (DATA.has(name)) for (const each of toEnds(entry)) found.add(each);
    }
  };
  search(home, 0);
  const real = follow(home).end;
  return [...found].filter((path) => !isBelow(path, real));
}

/** True if one of two absolute real paths is the other or contains it. */
export function overlaps(one: string, two: string): boolean {
  return isBelow(one, two) || isBelow(two, one);
}

/** The links of an entry and its file; none if it is no link. */
function toEnds(entry: string): string[] {
  const { links, end } = follow(entry);
  return links.length > 0 ? [...links, end] : [];
}

/** The links from a path to its file, of its folders too, and the path of the file, which need not exist. */
function follow(path: string): { links: string[]; end: string } {
  const links: string[] = [];
  let rest = path.split('/').filter(Boolean);
  let at = '/';
  while (rest.length > 0) {
    const [name = '', ...others] = rest;
    const next = join(at, name);
    const target = links.length < MAX_LINKS ? readLink(next) : undefined;
    if (target === undefined) [at, rest] = [next, others];
    else {
      links.push(next);
      [at, rest] = ['/', [...resolve(at, target).split('/').filter(Boolean), ...others]];
    }
  }
  return { links, end: at };
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
