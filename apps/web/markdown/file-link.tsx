import { memo, type ReactNode } from 'react';
import { toRelativePath } from '../files/relative-path.ts';
import { toHash } from '../state/route.ts';
import { splitPaths } from './file-paths.ts';
import { useKnownFile } from './known-files.ts';
import { useScope } from './scope.ts';

interface FileLinkProps {
  path: string;
  line: number | undefined;
  children: ReactNode;
}

/** A link into the file view, if the file exists; otherwise only its content. */
export function FileLink({ path, line, children }: FileLinkProps) {
  const { session, folder } = useScope();
  // A path of the root of the machine may be in the workspace, which only the server knows.
  const wanted = path.startsWith('/') || folder === undefined ? path : (toRelativePath(path, folder) ?? path);
  const file = useKnownFile(session, wanted);
  if (file === undefined || session === undefined) return children;
  const href = toHash({
    page: 'session',
    id: session,
    tab: 'files',
    path: file,
    line,
  });
  return (
    <a className="file-link" href={href}>
      {children}
    </a>
  );
}

/** A text whose paths are links into the file view. */
export const FileWords = memo(function FileWords({ text }: { text: string }) {
  const { session, isGrowing } = useScope();
  if (session === undefined || isGrowing) return text;
  return splitPaths(text).map((part, at) =>
    typeof part === 'string' ? (
      part
    ) : (
      <FileLink key={at} path={part.path} line={part.line}>
        {part.text}
      </FileLink>
    ),
  );
});
