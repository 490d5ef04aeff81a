import { isLineByLine } from './accessible.ts';
import type { Questions } from './questions.ts';

/**
 * Opens the terminal for questions, also while standard input is a pipe. With `ACCESSIBLE`, `KLAUS_PLAIN` or a dumb
 * terminal they are asked line by line.
 */
export async function openQuestions(title: string): Promise<Questions> {
  // Loaded only when something is asked.
  if (isLineByLine()) return (await import('./line-questions.ts')).openLineQuestions(title);
  return (await import('./clack-questions.ts')).openClackQuestions(title);
}
