import { createCount } from '../count.ts';
import type { GroupFacts } from '../../conversation/read-group.ts';

const count = createCount('en');

/** Texts about the layout of the page in English. */
export const enLayout = {
  hideSidebar: 'Hide the sidebar',
  showSidebar: 'Show the sidebar',
  resizeSidebar: 'Width of the sidebar',
  toggleSidebar: 'Show or hide the sidebar',
  examples: 'For example',
  example: {
    explain: 'Explain how this project is structured and where a newcomer should start to read.',
    test: 'Run the tests. If one fails, find the cause and fix it.',
    review: 'Review my uncommitted changes for mistakes.',
    readme: 'Try the commands of the README and fix what is wrong in it.',
    todo: 'List the TODO and FIXME comments and suggest which one to do first.',
    begin: 'Create a small program that prints a greeting, with a test.',
  },
  defaultFolder: 'folder of the server',
  components: 'Components',
  accent: 'Accent',
  accents: { iris: 'Iris', pine: 'Pine', ember: 'Ember', plum: 'Plum' },
  /** Such as "Read 4 files, 1 search". */
  reads: ({ read, listed, searched, other }: GroupFacts) =>
    capitalize(
      [
        read > 0 ? `read ${count(read, 'file', 'files')}` : '',
        listed > 0 ? `listed ${count(listed, 'folder', 'folders')}` : '',
        searched > 0 ? count(searched, 'search', 'searches') : '',
        other > 0 ? count(other, 'other query', 'other queries') : '',
      ]
        .filter(Boolean)
        .join(', '),
    ),
  readsFailed: (n: number) => `${n} failed`,
};

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
