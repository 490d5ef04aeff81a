import type { ReactNode } from 'react';
import { toImageAddress } from '../files/image-address.ts';
import { toRelativePath } from '../files/relative-path.ts';
import { Thumbnail } from '../image/thumbnail.tsx';
import { useRenderText } from '../text/render/render-text.ts';
import { toSafeLink } from './blocks.ts';
import { useScope } from './scope.ts';

interface MarkdownImageProps {
  href: string;
  /** The text of the author. */
  alt: string;
  fallback: ReactNode;
}

/** An image of the workspace. One of another server is a link, because a request would inform that server about the reader. */
export function MarkdownImage({ href, alt, fallback }: MarkdownImageProps) {
  const t = useRenderText();
  const { session, folder, isGrowing } = useScope();
  const remote = toSafeLink(href);
  if (remote !== undefined) {
    return (
      <span className="markdown-remote">
        <a href={remote} target="_blank" rel="noreferrer noopener">
          {alt || href}
        </a>{' '}
        <span className="muted small">({t.image.remote})</span>
      </span>
    );
  }
  const path = /^[a-z][a-z\d+.-]*:|^\/\/|^#/i.test(href) ? undefined : toRelativePath(decode(href), folder);
  if (path === undefined || session === undefined || isGrowing) return fallback;
  return (
    <Thumbnail
      name={alt || path}
      src={toImageAddress({ session, path })}
      file={path.slice(path.lastIndexOf('/') + 1)}
    />
  );
}

function decode(href: string): string {
  const path = href.replace(/[?#].*$/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
