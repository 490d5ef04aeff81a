import { overlay } from '../state/overlay.ts';

/** The first rendered question that can be answered. */
const findQuestion = () => document.querySelector<HTMLElement>('[data-question]');

/** True while a question that can be answered is rendered. The list of sessions counts it a moment later. */
export const isQuestionShown = (): boolean => findQuestion() !== null;

function isInView(element: HTMLElement): boolean {
  const frame = element.closest('.conversation-scroll')?.getBoundingClientRect();
  const { top, bottom } = element.getBoundingClientRect();
  return frame !== undefined && bottom > frame.top && top < frame.bottom;
}

/** Scrolls the first open question into view and focuses it. No answer has the focus, so that Enter does nothing. */
export function showQuestion(): void {
  const question = findQuestion();
  if (!question) {
    // The list renders only rows near the viewport. The link above the message field scrolls to the question.
    document.querySelector<HTMLElement>('.questions')?.click();
    return;
  }
  question.scrollIntoView({ block: 'nearest' });
  question.focus();
}

/** Clicks a button of the first open question. A question outside of the viewport is only scrolled into view. */
export function answerQuestion(answer: 'approved' | 'rejected' | 'review'): void {
  const question = findQuestion();
  const button = question?.querySelector<HTMLButtonElement>(`[data-answer="${answer}"]`);
  if (!question || !isInView(question)) return showQuestion();
  if (overlay.get() === undefined) button?.click();
}
