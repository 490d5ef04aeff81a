/** Texts of the list of sessions that come with the first load, in English. */
export const enList = {
  allProjects: 'All projects',
  project: (name: string) => `Project: ${name}`,
  running: (n: number) => `${n} running`,
  needsYou: (n: number) => `${n} waiting for you`,
  filters: (n: number) => (n === 0 ? 'Filter sessions' : `Filter sessions (${n} active)`),
  archive: 'Archive',
  unarchive: 'Remove from the archive',
  archived: 'Archived',
  archivedToast: (name: string) => `Archived “${name}”.`,
  select: 'Select',
  selectOne: (name: string) => `Select ${name}`,
  selectKeys: 'Select in the list, or a range',
};
