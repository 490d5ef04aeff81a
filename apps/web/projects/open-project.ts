import { changeFilters } from '../state/filters.ts';
import { go } from '../state/route.ts';

/** Filters the list by a project, and opens the form of a new session in it. */
export function openProject(path: string): void {
  changeFilters({ project: path });
  go({ page: 'home' });
}
