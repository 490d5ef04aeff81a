import { expect, test } from 'vitest';
import { searchTools } from './search-tools.ts';

const toSpec = (name: string, description: string, fields: string[] = []) => ({
  name,
  description,
  inputSchema: { type: 'object', properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])) },
  effects: ['read'] as const,
});

const SPECS = [
  toSpec('git_log', 'Show the latest commits, one line each.', ['limit', 'path']),
  toSpec('git_commit', 'Commit what is staged, or paths, or all.', ['message', 'paths']),
  toSpec('git_branch', 'List, create, switch or delete branches.', ['action', 'name']),
  toSpec('tsc_check', 'Type-check with TypeScript, without emitting.', ['project']),
  toSpec('eslint_check', "Lint the project with the project's ESLint.", ['paths']),
  toSpec('memory_set', 'Remember a fact about this project.', ['key', 'value', 'category']),
];
const search = (query: string) => searchTools(query, SPECS).map(({ name }) => name);

test.each([
  ['git_branch', 'git_branch'],
  ['commit', 'git_commit'],
  ['make a commit', 'git_commit'],
  ['commit history', 'git_commit'],
  ['type check', 'tsc_check'],
  ['typecheck', 'tsc_check'],
  ['linting', 'eslint_check'],
  ['remember something', 'memory_set'],
  ['switch branches', 'git_branch'],
  ['category', 'memory_set'],
  ['gitlgo', 'git_log'],
])('"%s" finds %s first', (query, name) => {
  expect(search(query)[0]).toBe(name);
});

test('complete names come first', () => {
  expect(search('select: memory_set, git_log').slice(0, 2).sort()).toEqual(['git_log', 'memory_set']);
});

test('a query without a match returns nothing', () => {
  expect(search('photosynthesis')).toEqual([]);
  expect(search('')).toEqual([]);
  expect(search('the tool for')).toEqual([]);
});

test('at most five tools are returned', () => {
  const many = Array.from({ length: 40 }, (_, at) => toSpec(`jira_${at}`, 'Look at an issue.'));
  expect(searchTools('jira issue', many)).toHaveLength(5);
  expect(searchTools('jira_33', many)[0]!.name).toBe('jira_33');
});
