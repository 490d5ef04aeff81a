import { isPackageFile } from '../names/package-file.ts';
import { placeOf } from '../places.ts';
import { isEnvironmentFile } from './find-environment-changes.ts';
import { isConfigFile } from './find-weakenings.ts';

/**
 * True for a file whose content decides about a command or a check: protected places, scripts of packages, and what
 * configures checks. Of installed packages of Node.js only protected places count.
 *
 * @param path Relative to the workspace.
 */
export function isJudgedFile(path: string): boolean {
  if (placeOf(path, { isNew: true }) !== undefined) return true;
  if (/(?:^|\/)node_modules\//.test(path)) return false;
  return isPackageFile(path) || isEnvironmentFile(path) || isConfigFile(path);
}
