import type { Conversation } from '@klaus/core/conversation';
import type { EventOf } from '@klaus/core/protocol';
import { CallApproval } from '../review/call-approval.tsx';
import { LimitPanel } from '../review/limit-panel.tsx';
import { useAsking } from './use-asking.ts';
import { useChildLog } from './use-child-log.ts';

/** The open questions of an agent and of the agents below it, to answer them without leaving the page. */
export function ChildQuestions({ id }: { id: string }) {
  const { conversation } = useChildLog(id, true);
  return conversation ? <Questions conversation={conversation} /> : null;
}

function Questions({ conversation }: { conversation: Conversation }) {
  const below = useAsking(conversation);
  return (
    <>
      {[...conversation.approvals.values()].map((asked) => (
        <Question key={asked.approval} asked={asked} conversation={conversation} />
      ))}
      {below.map(({ child }) => (
        <ChildQuestions key={child.id} id={child.id} />
      ))}
    </>
  );
}

function Question({ asked, conversation }: { asked: EventOf<'approval.asked'>; conversation: Conversation }) {
  if (asked.subject.kind !== 'limit') return <CallApproval asked={asked} />;
  const { approval: id, seq, at } = asked;
  return <LimitPanel entry={{ kind: 'limit', id, seq, at, asked }} conversation={conversation} />;
}
