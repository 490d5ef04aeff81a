import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import type { Reply } from './answer.ts';

interface AnswerButtonsProps {
  isSending?: boolean;
  onAnswer: (answer: Reply['answer']) => void;
}

/** The buttons that answer a question. Shortcuts find them by `data-answer`. */
export function AnswerButtons({ isSending = false, onAnswer }: AnswerButtonsProps) {
  const t = useText();
  return (
    <>
      <Button
        needs="operator"
        disabled={isSending}
        variant="danger"
        data-answer="rejected"
        keys="D"
        onClick={() => onAnswer('rejected')}
      >
        {t.approval.reject}
      </Button>
      <Button
        needs="operator"
        disabled={isSending}
        variant="primary"
        data-answer="approved"
        keys="A"
        onClick={() => onAnswer('approved')}
      >
        {t.approval.approve}
      </Button>
    </>
  );
}
