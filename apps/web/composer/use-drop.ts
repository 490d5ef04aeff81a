import { useState, type DragEvent } from 'react';

/** The handlers of an element on which files can be dropped. */
export function useDrop(onFiles: (files: readonly File[]) => void) {
  const [isDropping, setDropping] = useState(false);
  const drop = {
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      setDropping(true);
    },
    onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
      if (!currentTarget.contains(relatedTarget as Node | null)) setDropping(false);
    },
    onDrop(event: DragEvent) {
      setDropping(false);
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      onFiles([...event.dataTransfer.files]);
    },
  };
  return { isDropping, drop };
}
