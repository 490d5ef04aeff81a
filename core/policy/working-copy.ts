import { isBelow } from './path.ts';

/**
 * True for a folder in a working copy, `home/copies/PROJECT/NAME`: the only part of Klaus's own state in which agents work.
 *
 * @param folder Absolute real path. @param home Absolute real path of Klaus's own state.
 */
export function isInWorkingCopy(folder: string, home: string): boolean {
  const copies = `${home}/copies`;
  if (!isBelow(folder, copies)) return false;
  const [, project, name] = folder.slice(copies.length).split('/');
  // Beside the folder of a copy are its record and its lock.
  return Boolean(project) && Boolean(name) && !/\.(?:json|lock|new|removed)$/.test(name!);
}
