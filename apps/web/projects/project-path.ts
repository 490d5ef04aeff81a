/** The last part of the path of a project. */
export function toProjectName(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? path;
}

/** The parent folder of an absolute path; `/` for a folder in the root. */
export function parentOf(path: string): string {
  const end = path.replace(/\/+$/, '').lastIndexOf('/');
  return end <= 0 ? '/' : path.slice(0, end);
}
