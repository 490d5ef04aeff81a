import { hunksOf, isHidden, type EventOf } from '@klaus/core/protocol';
import { useMemo } from 'react';
import { DiffHunks } from '../diff/diff-text.tsx';
import { useText } from '../text/text.ts';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { toQuestionImages } from '../viewers/image-changes.ts';

const ImageDiff = lazyComponent(async () => (await import('../viewers/image-diff.tsx')).ImageDiff);

/** The change that a question is about, in place: all of its lines, its images, and what cannot be shown. */
export function ChangePreview({ asked }: { asked: EventOf<'approval.asked'> }) {
  const t = useText();
  const hunks = hunksOf(asked);
  const hidden = useMemo(() => hunks.filter(isHidden).length, [hunks]);
  const images = useMemo(() => toQuestionImages(asked), [asked]);
  if (hunks.length === 0) return null;
  return (
    <>
      <DiffHunks hunks={hunks} />
      {images.map((image) => (
        <ImageDiff
          key={image.path}
          session={asked.session}
          approval={asked.approval}
          turn={undefined}
          version={asked.approval}
          {...image}
        />
      ))}
      {hidden > 0 ? (
        <p role="note" className="warn">
          {t.approval.hiddenIn(hidden)}
        </p>
      ) : null}
    </>
  );
}
