import { overlay } from '../state/overlay.ts';

/** The first question that is in the page and can be answered, as it is drawn. */
function findQuestion(): HTMLElement | undefined {
  return document.querySelector<HTMLElement>('[data-question]') ?? undefined;
}

function isInView(element: HTMLElement): boolean {
  const frame = element.closest('.conversation-scroll')?.getBoundingClientRect();
  const { top, bottom } = element.getBoundingClientRect();
  return frame !== undefined && bottom > frame.top && top < frame.bottom;
}

/** Brings the first open question into sight and the focus to it. */
export function showQuestion(): void {
  const question = findQuestion();
  if (!question) {
    // It is scrolled too far away to be in the page: the line above the message field leads there.
    document.querySelector<HTMLElement>('.questions')?.click();
    return;
  }
  question.scrollIntoView({ block: 'nearest' });
  question.querySelector<HTMLElement>('[data-answer="approved"]')?.focus();
}

/** Presses a button of the first open question. One that is not in sight is shown first: nobody answers unseen. */
export function pressQuestion(answer: 'approved' | 'rejected' | 'review'): void {
  const question = findQuestion();
  const button = question?.querySelector<HTMLButtonElement>(`[data-answer="${answer}"]`);
  if (!question || !isInView(question)) return showQuestion();
  if (overlay.get() === undefined) button?.click();
}
