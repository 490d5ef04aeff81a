import type { MouseEvent } from 'react';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { leaveFocus } from '../ui/leave-focus.ts';
import type { Reply } from './answer.ts';

interface AnswerButtonsProps {
  isSending?: boolean;
  /** False if a part of the change cannot be shown: only a review approves it. Default true. */
  canApprove?: boolean;
  onAnswer: (answer: Reply['answer']) => void;
}

/** The buttons that answer a question. Shortcuts find them by `data-answer`. */
export function AnswerButtons({ isSending = false, canApprove = true, onAnswer }: AnswerButtonsProps) {
  const t = useText();
  const send = (answer: Reply['answer']) => (event: MouseEvent) => {
    leaveFocus(event.currentTarget.closest('[data-question]'));
    onAnswer(answer);
  };
  return (
    <>
      <Button
        needs="operator"
        disabled={isSending}
        variant="danger"
        data-answer="rejected"
        keys="alt+n"
        onClick={send('rejected')}
      >
        {t.approval.reject}
      </Button>
      {canApprove ? (
        <Button
          needs="operator"
          disabled={isSending}
          variant="primary"
          data-answer="approved"
          keys="alt+y"
          onClick={send('approved')}
        >
          {t.approval.approve}
        </Button>
      ) : null}
    </>
  );
}
